package rules

import "midwire/session/diagnose"

// transports are the rules of HTTP, its streams, and authorization.
var transports = []*diagnose.Rule{
	// what clients and servers send each other, and what stands between
	acceptIncomplete, notAcceptable, endpointRedirected, hostRejected, wrongURL, htmlResponse,
	responseRefused, initializedRefused,
	requestForbidden, credentialRefused, mediaTypeRefused, messageRefused, rateLimited, requestTooLarge,
	serverUnavailable,
	corsPreflightRefused, corsSessionIDHidden, corsResponseHidden,
	// protocol versions
	versionRefused, versionPromised,
	versionHeaderRefused, versionHeaderMissing, versionHeaderDiffers, badVersionAccepted,
	legacyClientModernServer, modernClientLegacyServer,
	// HTTP+SSE
	streamableURLAsSSE, endpointEventMissing, endpointOriginDiffers, endpointUnreachable, postedElsewhere,
	sseSessionOver,
	// session ids
	sessionsLeftOpen,
	sessionIDCharacters, sessionIDGuessable, sessionIDChanged, unassignedSessionID, initializeWithDeadID,
	missingIDWrongStatus,
	// responses
	requestOnlyAccepted, notificationWrongStatus, responseNotJSONRPC, responseLengthWrong, requestNotJSONRPC,
	wrongContentType, responseOnWrongStream,
	// streams
	messageOnWrongStream, streamAfterResponse, streamEndedEarly, reconnectTooEarly, eventIDRepeated,
	streamBufferingAllowed, responseDelayed,
	streamResumedEmpty, lastEventIDMissing, clientLeft, listenStreamSilent, streamHeaders, streamAskedInModern,
	// headers and security
	originWrongStatus, foreignOriginAccepted, tokenOverPlainHTTP, tokenInQuery, wrongHTTPMethod, allowHeaderMissing,
	// authorization
	challengeMissing, oauthMetadataMissing, oauthMetadataIncomplete, oauthResourceDiffers, oauthURLUnreachable,
	oauthStepFailed, resourceParameterMissing, resourceParameterDiffers, scopeChallengeIncomplete, scopeInsufficient,
	oauthIssuerDiffers, oauthServerMetadataMissing, oauthMetadataNotRequested, registrationNotOffered,
	authorizationRefused, refreshTokenReused, refreshTokenMissing, proxyCertificateRefused,
}
