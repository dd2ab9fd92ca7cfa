package rules

var oauthMetadataIncomplete = login("oauth-metadata-incomplete")
