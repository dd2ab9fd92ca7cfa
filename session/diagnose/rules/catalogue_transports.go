package rules

import "midwire/session/diagnose"

// transports are the rules of HTTP, its streams, and authorization.
var transports = []*diagnose.Rule{
	// what clients and servers send each other, and what stands between
	acceptIncomplete, notAcceptable, endpointRedirected, hostRejected, wrongURL, htmlResponse,
	responseRefused, initializedRefused,
	requestForbidden, credentialRefused, mediaTypeRefused, messageRefused, rateLimited, requestTooLarge,
	serverUnavailable,
	corsPreflightRefused, corsResponseHidden,
	// protocol versions
	versionRefused, versionPromised,
	versionHeaderRefused, versionHeaderMissing, versionHeaderDiffers,
	legacyClientModernServer, modernClientLegacyServer,
	// HTTP+SSE
	streamableURLAsSSE, endpointEventMissing, endpointOriginDiffers, endpointUnreachable, postedElsewhere,
	sseSessionOver,
	// session ids
	sessionsLeftOpen,
	sessionIDCharacters, sessionIDGuessable, unassignedSessionID, initializeWithDeadID,

	// responses
	notificationWrongStatus, responseNotJSONRPC, responseLengthWrong, requestNotJSONRPC,
	wrongContentType, responseOnWrongStream,
	// streams
	messageOnWrongStream, streamAfterResponse, streamEndedEarly, reconnectTooEarly, eventIDRepeated,
	responseDelayed,
	streamResumedEmpty, streamHeaders, lastEventIDMissing, clientLeft, listenStreamSilent,
	// headers and security

	// authorization
	challengeMissing, oauthMetadataMissing, oauthMetadataIncomplete, oauthResourceDiffers, oauthURLUnreachable,
	oauthStepFailed, resourceParameterMissing, resourceParameterDiffers, scopeChallengeIncomplete, scopeInsufficient,
	oauthIssuerDiffers, oauthServerMetadataMissing, oauthMetadataNotRequested, registrationNotOffered,
	authorizationRefused, refreshTokenReused, refreshTokenMissing, proxyCertificateRefused,
}
