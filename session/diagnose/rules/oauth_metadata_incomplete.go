package rules

var oauthMetadataIncomplete = rule("oauth-metadata-incomplete", loginOn, failedLogin)
