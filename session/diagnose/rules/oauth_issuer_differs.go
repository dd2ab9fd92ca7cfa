package rules

var oauthIssuerDiffers = login("oauth-issuer-differs")
