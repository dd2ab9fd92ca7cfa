package rules

var refreshTokenMissing = rule("refresh-token-missing", loginOn, failedLogin)
