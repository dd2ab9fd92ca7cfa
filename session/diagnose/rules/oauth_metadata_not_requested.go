package rules

var oauthMetadataNotRequested = rule("oauth-metadata-not-requested", loginOn, failedLogin)
