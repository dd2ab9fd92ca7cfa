package rules

import (
	"net/url"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var oauthURLUnreachable = &diagnose.Rule{
	ID:       "oauth-url-unreachable",
	Title:    "OAuth metadata has URLs that clients cannot or must not use",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The URLs for the login are in a private network, or use plain http, which OAuth forbids. The client cannot reach them, or refuses them.",
		Wire:  "resource_metadata in WWW-Authenticate, authorization_servers, issuer or an endpoint of the authorization server is an http:// URL of another machine, or has a host such as “auth:8080” or “10.0.0.7”.",
		Cause: "The server or authorization server builds its URLs from its listen address, or from a Host and scheme that the proxy in front of it did not pass on.",
		Fix:   "In the server: configure the public https URLs, or pass X-Forwarded-Host and X-Forwarded-Proto through the proxy and trust them.",
		Spec:  "2025-11-25 basic/authorization: Communication Security",
		Example: `> GET /.well-known/oauth-protected-resource, Host: mcp.example.com
< 200 {"resource":"https://mcp.example.com","authorization_servers":["http://keycloak:8080/realms/mcp"]}`,
	},
	On: diagnose.Refusals | diagnose.Bodies,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil {
			return
		}
		if c.Refusal != nil {
			if x.Status == 401 {
				suspect(c, "resource_metadata", challengeParam(headerValues(x.ResponseHead, "WWW-Authenticate"), "resource_metadata"))
			}
			return
		}
		if x.Verb != "GET" || x.Status != 200 || !strings.Contains(x.Path, "/.well-known/o") {
			return
		}
		if strings.HasPrefix(x.Path, resourceWellKnown) {
			wire.Items(wire.Get(c.Data, "authorization_servers"), func(_ int, v []byte) bool {
				suspect(c, "authorization_servers", text(v))
				return true
			})
			return
		}
		for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint"} {
			suspect(c, name, wire.Text(wire.Get(c.Data, name)))
		}
	},
}

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
