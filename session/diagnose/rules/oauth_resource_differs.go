package rules

var oauthResourceDiffers = rule("oauth-resource-differs", loginOn, failedLogin)
