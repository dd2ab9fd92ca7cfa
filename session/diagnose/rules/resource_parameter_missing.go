package rules

var resourceParameterMissing = rule("resource-parameter-missing", loginOn, failedLogin)
