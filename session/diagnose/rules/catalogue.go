package rules

import "midwire/session/diagnose"

// causes are the failures that people meet, distinguished by their causes.
var causes = []*diagnose.Rule{
	sessionFailed, requestRefused,
	handshakeSkipped, handshakeForgotten, handshakeRace,
	sessionIDNotEchoed, sessionHeaderMissing, sessionIDIgnored, sessionIDCrossed, sessionTwoCredentials,
	sessionPerCall, sessionNotRenewed, sessionUnknownStatus, sessionReplicas, transportShared,
	streamRefused, streamIdleClosed, streamBuffered,
	metaNotReceived, stateOverwritten, handleRefused, handleMissing,
	gatewayMetaDropped, gatewayMetaChanged, gatewayArgumentsChanged, gatewayResultChanged, gatewayCapabilitiesChanged,
	gatewaySessionShared, gatewayOrderChanged, gatewaySlow,
}
