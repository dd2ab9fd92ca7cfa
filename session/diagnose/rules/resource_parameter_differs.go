package rules

var resourceParameterDiffers = rule("resource-parameter-differs", loginOn, failedLogin)
