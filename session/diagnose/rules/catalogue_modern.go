package rules

import "midwire/session/diagnose"

// modern are the rules of protocol version 2026-07-28.
var modern = []*diagnose.Rule{
	modernHeaderMissing,
	headerBodyMismatch,
	headerMismatchAccepted,
	headerValueEncoding,
	paramHeaderWrong,
	envelopeIncomplete,
	modernStatusWrong,
	modernResponsePosted,
	sessionLeftovers,
	versionRefusalBare,
	serverInfoMissing,
	modernServerRequest,
	modernProgressToken,
	logUnrequested,
	cachingHintsMissing,
	resultTypeMissing,
	inputRequiredUnexpected,
	inputRequiredEmpty,
	inputRequestUndeclared,
	inputLeft,
	taskResultUndeclared,
	requestStateWrong,
	retryReusesID,
	subscriptionUnacknowledged,
	subscriptionUntagged,
	subscriptionCut,
	serverCancelledCall,
	toolHeaderInvalid,
	toolHeaderIgnored,
	toolOrderChanges,
}
