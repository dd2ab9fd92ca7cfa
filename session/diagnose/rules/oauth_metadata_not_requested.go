package rules

var oauthMetadataNotRequested = login("oauth-metadata-not-requested")
