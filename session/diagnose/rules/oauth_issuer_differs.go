package rules

var oauthIssuerDiffers = rule("oauth-issuer-differs", loginOn, failedLogin)
