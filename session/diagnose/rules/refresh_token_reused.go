package rules

var refreshTokenReused = rule("refresh-token-reused", loginOn, failedLogin)
