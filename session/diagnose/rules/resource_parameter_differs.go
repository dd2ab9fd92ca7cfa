package rules

var resourceParameterDiffers = login("resource-parameter-differs")
