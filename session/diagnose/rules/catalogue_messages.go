package rules

import "midwire/session/diagnose"

// messages are the rules of JSON-RPC, the life cycle, capabilities and stdio.
var messages = []*diagnose.Rule{
	badRequestID, requestIDReused, responseIDType, duplicateResponse, unknownResponse, responseWithoutID,
	malformedResponse, notificationWithID, notificationResponse,
	jsonrpcVersion, invalidUTF8, duplicateMember, undefinedErrorCode, legacyErrorCode,

	serverTooEarly, versionNotHonoured, unknownVersion, newerVersionAccepted, foreignVersion,
	initializeCancelled, initializeTwice, initializedMissing, initializeIncomplete,
	initializeInBatch, batchNotAllowed, mixedBatch,

	stdoutNoise, stdinNoise, oneMessagePerLine, lineEnds, lineTooLong,
	serverDidNotStart, serverExited, killedWithoutEOF, ignoresStdinEOF,
	requestFromServer, responseFromClient,

	serverCapabilityMissing, clientCapabilityMissing, undeclaredNotification, advertisedNotImplemented,
	pingRefused, questionRefused, questionAnsweredOddly, methodMisspelled, unknownMemberRefused,

	unknownProgressToken, progressNotIncreasing,
	cancelledUnknownRequest, lateResponse,
	cursorAltered, cursorErrorCode,
	taskLeftEnd, taskPayloadMissing, taskNotSupported, taskResultUnrelated, taskLost, taskLeft, taskTimesShort,
	metaKey, deprecatedFeature,
}
