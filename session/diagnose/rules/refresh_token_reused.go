package rules

var refreshTokenReused = login("refresh-token-reused")
