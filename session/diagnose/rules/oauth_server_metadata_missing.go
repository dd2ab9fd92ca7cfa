package rules

var oauthServerMetadataMissing = rule("oauth-server-metadata-missing", loginOn, failedLogin)
