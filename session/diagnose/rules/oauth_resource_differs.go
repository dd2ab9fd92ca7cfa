package rules

import (
	"net/url"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var oauthResourceDiffers = &diagnose.Rule{
	ID:       "oauth-resource-differs",
	Title:    "The metadata is for another server than the client uses",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Covers:   []string{"credential-refused*"},
	On:       diagnose.OtherBodies,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "GET" || x.Status != 200 || !strings.HasPrefix(x.Path, resourceWellKnown) || !isJSONObject(c.Data) {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}}
		resource := wire.Text(wire.Get(c.Data, "resource"))
		used := x.Header("Host") + strings.TrimPrefix(x.Path, resourceWellKnown)
		switch why := resourceDiffers(x, resource, &f); {
		case why == "":
			return
		case resource == "":
			f.Message = "The metadata that " + target(x) + " returned (" + frame(c.N) + ") has no “resource”."
		default:
			f.Message = "The metadata (" + frame(c.N) + ") is for " + quote(resource) + ", the client uses " + quote(used) + ": " + why + "."
		}
		c.ReportAs(resource, f)
	},
}

// resourceDiffers says in what a resource is not the one that was asked for,
// "" for nothing, and who must act.
func resourceDiffers(x *session.Exchange, resource string, f *diagnose.Finding) string {
	if resource == "" {
		return "it is missing"
	}
	u := parseURL(resource)
	if u == nil {
		return "it is not an absolute URL"
	}
	host := x.Header("Host")
	if !sameHost(u.Host, host, u.Scheme) {
		if isUpstream(x, u.Host) {
			f.Side, f.Severity = diagnose.Gateway, diagnose.Warning
			f.Cause = "midwire has an address of its own. The client compares it with the server's real URL, and refuses."
			f.Fix = "To watch a session with a login, give the client a token as an Authorization header, so that it does not log in through midwire."
			return "this is the server behind midwire, and clients refuse to log in to it under midwire's address"
		}
		if isInternal(u.Host) && !isInternal(host) {
			return "the host is an internal one"
		}
		return "the host differs"
	}
	if u.Scheme == "http" && wasTLS(x) {
		f.Cause = "The server runs behind a TLS proxy and does not know it."
		f.Fix = "Make the server trust X-Forwarded-Proto, or configure its public URL."
		return "the scheme is http instead of https"
	}
	if asked := strings.TrimPrefix(x.Path, resourceWellKnown); !isBelow(asked, u) {
		return "the path differs"
	}
	return ""
}

// isBelow says whether a path is that of a resource, or below it.
func isBelow(path string, u *url.URL) bool {
	base := strings.TrimSuffix(u.Path, "/")
	path = strings.TrimSuffix(path, "/")
	return path == "" || path == base || strings.HasPrefix(path, base+"/")
}
