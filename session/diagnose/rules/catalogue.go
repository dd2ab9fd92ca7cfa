package rules

import "midwire/session/diagnose"

// explaining are the rules that say why something failed, in files by topic.
var explaining = []*diagnose.Rule{
	// The failures that people meet, distinguished by their causes.
	sessionFailed, requestRefused, handshakeSkipped, handshakeForgotten, handshakeRace, sessionIDNotEchoed,
	sessionHeaderMissing, sessionPerCall, sessionNotRenewed, sessionUnknownStatus, sessionReplicas, transportShared,
	streamRefused, cachedResponse, sessionIDInvented,
	resultReadsFailed, metaNotReceived, stateOverwritten, handleRefused, handleMissing,
	// The rules of sessions that get no further: what a request waited for in vain, and what is done again and again.
	clientTimeout, unansweredRequest, requestAbandoned, questionUnanswered, serverMute, stdoutBuffered,
	responseUnreadable, handshakeUnfinished, listChangedLoop, streamLoop, callLoop, midwireDefect,
	// The rules of JSON-RPC, the life cycle, capabilities and stdio.
	stdoutNoise, serverDidNotStart, settingMissing, argumentMissing, runtimeTooOld, moduleMissing,
	serviceUnreachable, commandWrong,
	certificateUntrusted, serverExited, serverRestarted, peerDoesNotRead, serverCapabilityMissing,
	advertisedNotImplemented,
	questionRefused, questionAnsweredOddly, unknownMemberRefused,
	// The rules of HTTP, its streams, and authorization.
	acceptIncomplete, endpointRedirected, hostRejected, wrongURL, htmlResponse, requestForbidden, credentialRefused,
	mediaTypeRefused, messageRefused, rateLimited, requestTooLarge, serverUnavailable, corsPreflightRefused,
	versionRefused, versionPromised, versionHeaderRefused, legacyClientModernServer, modernClientLegacyServer,
	streamableURLAsSSE, endpointEventMissing, endpointOriginDiffers, sseSessionOver, responseNotJSONRPC,
	responseDelayed, clientLeft, proxyCertificateRefused, platformSaysWhy,
	// The rules of protocol version 2026-07-28.
	inputLeft, responseIDDiffers,
	// The rules of tools, schemas and results.
	messageSchema, toolsNeverCalled, toolFailed, serverSaysWhy, textGarbled, argumentsRefused, callDoubled,
	contentTypeDiffers, definitionsLarge, clientCapabilityNeeded, listEmpty, nameNotListed, listedUnknown,
}
