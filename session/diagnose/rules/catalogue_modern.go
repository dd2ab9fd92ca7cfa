package rules

import "midwire/session/diagnose"

// modern are the rules of protocol version 2026-07-28.
var modern = []*diagnose.Rule{
	headerValueEncoding,
	paramHeaderWrong,
	envelopeIncomplete,

	sessionLeftovers,

	modernServerRequest,

	logUnrequested,
	cachingHintsMissing,

	inputRequiredEmpty,
	inputRequestUndeclared,
	inputLeft,

	requestStateWrong,
	retryReusesID,
	subscriptionUnacknowledged,
	subscriptionUntagged,
	subscriptionCut,

	toolHeaderInvalid,
	toolHeaderIgnored,
	toolOrderChanges,
}
