package rules

var resourceParameterMissing = login("resource-parameter-missing")
