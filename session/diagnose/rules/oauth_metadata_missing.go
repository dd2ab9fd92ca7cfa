package rules

var oauthMetadataMissing = rule("oauth-metadata-missing", loginOn, failedLogin)
