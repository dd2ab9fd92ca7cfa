package rules

import (
	"cmp"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/oauth"
	"midwire/session/wire"
)

var requestForbidden = rule("request-forbidden", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if !posts(c) || x.Status != 403 && !ofPolicy(c) || blamesOrigin(c.Refusal) || blamesSession(c.Refusal) ||
		limited(c) || c.Refusal.Means(sdkwords.HostRejected, sdkwords.ScopeMissing) ||
		oauth.ChallengeParam(wire.HeadValues(x.ResponseHead, "WWW-Authenticate"), "error") == "insufficient_scope" ||
		c.Refusal.RPC && c.IsModern() {
		return
	}
	f := refusalOf(c)
	switch {
	case f.Side == diagnose.Gateway:
		advise(&f, "forbidden by the gateway")
	case c.Refusal.Means(sdkwords.SessionForeign):
		advise(&f, "session of another user")
	case x.Status != 403:
		advise(&f, "account not served")
	case c.Refusal.Says("csrf"):
		advise(&f, "protection of forms")
	case x.Header("Authorization") == "":
		f.Seen = true
		f.Message += ", and it carried no Authorization header"
		advise(&f, "403 without a credential")
	case c.Refusal.Says("token", "api key", "api_key", "apikey", "credential", "expired", "signature"):
		advise(&f, "403 for a bad credential")
	default:
		f.Seen = true
		advise(&f, "no right to it")
	}
	f.Message += "."
	c.ReportAs(x.Verb+between(x)+cmp.Or(x.Header("Authorization"), "none"), f)
})

// ofPolicy says whether a refusal with another status than 403 says in its text that the
// client or its account may not.
func ofPolicy(c *diagnose.Case) bool {
	switch x := c.Exchange; x.Status {
	case 402, 451:
		return true
	case 400, 404, 406, 409, 422, 423:
		return c.Refusal.Means(sdkwords.Forbidden) || !c.Refusal.RPC && c.Refusal.Says("not enabled", "is disabled", "not permitted", "not authorized to", "no permission", "not subscribed", "subscription",
			"suspended", "payment", "billing", "quota", "allowlist", "whitelist", "terms of")
	}
	return false
}
