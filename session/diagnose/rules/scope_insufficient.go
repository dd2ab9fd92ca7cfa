package rules

var scopeInsufficient = rule("scope-insufficient", loginOn, failedLogin)
