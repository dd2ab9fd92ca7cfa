package rules

var scopeInsufficient = login("scope-insufficient")
