package rules

import "midwire/session/diagnose"

// messages are the rules of JSON-RPC, the life cycle, capabilities and stdio.
var messages = []*diagnose.Rule{
	requestIDReused, responseIDType, duplicateResponse, unknownResponse, responseWithoutID,
	malformedResponse, notificationWithID, notificationResponse,
	duplicateMember,

	serverTooEarly, versionNotHonoured, unknownVersion, newerVersionAccepted, foreignVersion,
	initializeCancelled, initializeTwice, initializedMissing,
	batchNotAllowed, mixedBatch,

	stdoutNoise, stdinNoise, oneMessagePerLine, lineTooLong,
	serverDidNotStart, serverExited, killedWithoutEOF, ignoresStdinEOF,

	serverCapabilityMissing, clientCapabilityMissing, undeclaredNotification, advertisedNotImplemented,
	pingRefused, questionRefused, questionAnsweredOddly, methodMisspelled, unknownMemberRefused,

	unknownProgressToken, progressNotIncreasing,
	cancelledUnknownRequest, lateResponse,
	cursorAltered,
	taskLeftEnd, taskPayloadMissing, taskNotSupported, taskLost, taskLeft,
	metaKey,
}
