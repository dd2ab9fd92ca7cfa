package rules

var refreshTokenMissing = login("refresh-token-missing")
