package rules

var tokenNotRequested = rule("token-not-requested", loginOn, failedLogin)
