package rules

import "midwire/session/diagnose"

var oauthURLUnreachable = rule("oauth-url-unreachable", diagnose.Refusals|diagnose.OtherBodies, deviates)
