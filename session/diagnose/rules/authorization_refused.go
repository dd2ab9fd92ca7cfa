package rules

var authorizationRefused = rule("authorization-refused", loginOn, failedLogin)
