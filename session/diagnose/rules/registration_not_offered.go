package rules

var registrationNotOffered = rule("registration-not-offered", loginOn, failedLogin)
