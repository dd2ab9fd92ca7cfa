package rules

import "midwire/session/diagnose"

// causes are the failures that people meet, told apart by their causes.
var causes = []*diagnose.Rule{
	handshakeSkipped,
}
