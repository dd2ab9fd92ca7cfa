package rules

var oauthMetadataMissing = login("oauth-metadata-missing")
