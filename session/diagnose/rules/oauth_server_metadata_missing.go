package rules

var oauthServerMetadataMissing = login("oauth-server-metadata-missing")
