package rules

var authorizationRefused = login("authorization-refused")
