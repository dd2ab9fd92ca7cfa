package rules

var oauthResourceDiffers = login("oauth-resource-differs")
