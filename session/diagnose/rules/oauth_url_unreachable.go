package rules

import (
	"net/url"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/oauth"
	"midwire/session/wire"
)

var oauthURLUnreachable = rule("oauth-url-unreachable", diagnose.Refusals|diagnose.OtherBodies,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil {
			return
		}
		if c.Refusal != nil {
			if x.Status == 401 {
				suspect(c, "resource_metadata", oauth.ChallengeParam(headerValues(x.ResponseHead, "WWW-Authenticate"), "resource_metadata"))
			}
			return
		}
		if x.Verb != "GET" || x.Status != 200 || !strings.Contains(x.Path, "/.well-known/o") {
			return
		}
		if strings.HasPrefix(x.Path, oauth.ResourceWellKnown) {
			wire.Items(wire.Get(c.Data, "authorization_servers"), func(_ int, v []byte) bool {
				suspect(c, "authorization_servers", text(v))
				return true
			})
			return
		}
		for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint"} {
			suspect(c, name, wire.Text(wire.Get(c.Data, name)))
		}
	})

// suspect reports a URL that a client cannot use.
func suspect(c *diagnose.Case, name, value string) {
	x := c.Exchange
	u := parseURL(value)
	if u == nil || isLoopback(u.Host) {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}}
	switch why := unreachable(u, x.Header("Host")); {
	case why == "":
		return
	case u.Scheme != "http" || isUpstream(x, u.Host):
		f.Severity = diagnose.Warning
		fallthrough
	default:
		f.Message = name + " (" + frame(c.N) + ") is " + quote(value) + ", " + why + "."
	}
	c.ReportAs(name+" "+value, f)
}

// unreachable says why clients cannot use a URL, "" when they can.
func unreachable(u *url.URL, host string) string {
	internal := isInternal(u.Host) && !isInternal(host)
	switch {
	case internal && u.Scheme == "http":
		return "which is plain http and a host of a private network, while the client uses " + quote(host)
	case internal:
		return "a host of a private network, while the client uses " + quote(host)
	case u.Scheme == "http":
		return "which is plain http"
	}
	return ""
}
