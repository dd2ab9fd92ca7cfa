package rules

import "midwire/session/diagnose"

// stalls are the rules of sessions that get no further: what a request waited for in
// vain, and what is done again and again.
var stalls = []*diagnose.Rule{
	clientTimeout, unansweredRequest, requestAbandoned,
	questionUnanswered, serverStuck, streamBlocksResponses, serverMute, responseUnreadable, streamNotResumed,
	handshakeUnfinished,
	cursorLoop, listChangedLoop, streamLoop, credentialLoop, callLoop, initializeLoop,
	midwireDefect,
}
