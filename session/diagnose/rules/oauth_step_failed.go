package rules

var oauthStepFailed = rule("oauth-step-failed", loginOn, failedLogin)
