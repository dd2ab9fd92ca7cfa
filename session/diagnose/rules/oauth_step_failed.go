package rules

var oauthStepFailed = login("oauth-step-failed")
