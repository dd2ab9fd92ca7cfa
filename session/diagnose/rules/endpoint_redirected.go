package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
)

var endpointRedirected = &diagnose.Rule{
	ID:       "endpoint-redirected",
	Title:    "The MCP endpoint responds with a redirect",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The server redirects the client to another URL. Many clients do not follow a redirect of a POST, follow it without the body, or drop the Authorization header. The session then fails without a visible reason.",
		Wire:  "A POST with a message gets 301, 302, 303, 307 or 308 and a Location: often the same path with or without a trailing slash, or the same URL with http instead of https.",
		Cause: "A web framework normalises slashes (Starlette mounts redirect /mcp with 307 to /mcp/), the server builds the Location from the Host it sees behind a TLS proxy, or a login page protects the endpoint.",
		Fix:   "Configure the final URL in the client. In the server: register the endpoint with and without the slash, and behind a TLS proxy trust X-Forwarded-Proto so that redirects keep https.",
		Spec:  "2025-11-25 basic/transports: Streamable HTTP (a single endpoint that takes POST); RFC 9110 15.4",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":0,"method":"initialize",…}
< 307 Location: http://example.com/mcp/`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Status < 301 || x.Status > 308 || x.Status == 304 || x.Messages == 0 && !isMCP(c) {
			return
		}
		to := x.ResponseHeader("Location")
		f := diagnose.Finding{
			Frames:  headFrames(x),
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") got " + httpStatus(int(x.Status)) + " to " + quote(to),
		}
		f.Message += redirected(x, to, &f) + "."
		c.ReportAs(x.Path+" "+to, f)
	},
}

// redirected says in words what a redirect does, and judges it.
func redirected(x *session.Exchange, to string, f *diagnose.Finding) string {
	u := parseURL(to)
	host := x.Header("Host")
	if x.Host != "" {
		host = x.Host
	}
	what := ""
	if x.Status <= 303 {
		f.Severity = diagnose.Error
		what = ": clients then send a GET, and the message is lost"
	}
	switch {
	case to == "":
		f.Severity = diagnose.Error
		return ", and there is no Location to go to"
	case hasWord(to, "login", "signin", "sign-in", "sso", "/oauth2/", "authorize"):
		f.Severity, f.Side = diagnose.Error, diagnose.Gateway
		f.Cause = "An interactive login (SSO, an access proxy) protects the endpoint and requires a browser."
		f.Fix = "Exempt the MCP path from the browser login and let the server respond with 401 and a WWW-Authenticate header, or give the client a credential that the gateway accepts."
		return ", an interactive login that no MCP client can pass"
	case u != nil && u.Scheme == "http" && wasTLS(x):
		f.Severity = diagnose.Error
		f.Cause = "The server runs behind a TLS proxy and does not know it: it builds the Location with http."
		f.Fix = "Make the server trust X-Forwarded-Proto (uvicorn: --proxy-headers; Express: trust proxy), and give the client the final https URL."
		return ", from https down to http: clients drop their Authorization, or refuse"
	case u != nil && !sameHost(u.Host, host, u.Scheme):
		f.Severity = diagnose.Error
		return ", another host: clients drop their Authorization, or refuse, and leave midwire"
	case strings.TrimSuffix(pathOf(to), "/") == strings.TrimSuffix(x.Path, "/"):
		return ", which differs only in the trailing slash" + what
	}
	return what
}

// wasTLS says whether the client's side of the server speaks TLS.
func wasTLS(x *session.Exchange) bool {
	return x.Proto != "" || strings.EqualFold(x.Header("X-Forwarded-Proto"), "https")
}

// pathOf is the path of a URL, absolute or not.
func pathOf(to string) string {
	if u := parseURL(to); u != nil {
		return u.Path
	}
	to, _, _ = strings.Cut(to, "?")
	return to
}
