package rules

import (
	"net/url"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var oauthResourceDiffers = rule("oauth-resource-differs",
	diagnose.OtherBodies|diagnose.OtherRequests|diagnose.Refusals|diagnose.Overall,
	func(c *diagnose.Case) {
		x := c.Exchange
		near := diagnose.Memory[nearResource](c)
		if c.Kind != bodyKind || c.Refusal != nil {
			near.follow(c)
			return
		}
		if x.Verb != "GET" || x.Status != 200 || !strings.HasPrefix(x.Path, resourceWellKnown) || !isJSONObject(c.Data) {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}}
		resource := wire.Text(wire.Get(c.Data, "resource"))
		used := x.Header("Host") + strings.TrimPrefix(x.Path, resourceWellKnown)
		switch why := resourceDiffers(x, resource, &f); {
		case why == "":
			near.note(c, resource)
			return
		case resource == "":
			f.Message = "The metadata that " + target(x) + " returned (" + frame(c.N) + ") has no “resource”."
		default:
			f.Message = "The metadata (" + frame(c.N) + ") is for " + quote(resource) + ", the client uses " + quote(used) + ": " + why + "."
		}
		c.ReportAs(resource, f)
	})

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
			f.Remedies = fixes(anyone("To watch a session with a login, give the client a token as an Authorization header, so that it does not log in through midwire."))
			return "this is the server behind midwire, and clients refuse to log in to it under midwire's address"
		}
		if isInternal(u.Host) && !isInternal(host) {
			return "the host is an internal one"
		}
		return "the host differs"
	}
	if u.Scheme == "http" && wasTLS(x) {
		f.Cause = "The server runs behind a TLS proxy and does not know it."
		f.Remedies = fixes(inServer("trust X-Forwarded-Proto, or configure the public URL."))
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

// nearResource is metadata of the resource above the endpoint of the client. Clients that
// are strict do not use it: what comes next says whether this one does.
type nearResource struct {
	endpoint  string // path of the endpoint that demanded a login
	challenge uint64
	pathless  bool // the metadata of the root was asked for
	pathed    bool // or that of the endpoint
	finding   *diagnose.Finding
	t         int64
}

func (r *nearResource) follow(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case x == nil:
		r.report(c)
	case c.Refusal != nil:
		if x.Status == 401 && isMCP(c) && r.endpoint == "" {
			r.endpoint, r.challenge = x.Path, uint64(x.ResponseN)
		}
	case c.Kind != requestKind:
	case x.Path == resourceWellKnown:
		r.pathless = true
	case strings.HasPrefix(x.Path, resourceWellKnown):
		r.pathed = true
	default: // it goes on with the login
		r.finding = nil
	}
}

func (r *nearResource) note(c *diagnose.Case, resource string) {
	u := parseURL(resource)
	if u == nil || r.endpoint == "" || strings.TrimSuffix(u.Path, "/") == strings.TrimSuffix(r.endpoint, "/") {
		return
	}
	x := c.Exchange
	r.t, r.finding = c.T, &diagnose.Finding{
		Confidence: diagnose.Likely,
		Frames:     []uint64{c.N, uint64(x.RequestN), r.challenge},
		Message: "The metadata of " + target(x) + " (" + frame(c.N) + ") is for the resource " + quote(resource) + ", and the endpoint of the client is " + quote(r.endpoint) + " (" + frame(r.challenge) +
			"). The client went no further with its login.",
		Cause:    "Metadata holds for the resource that it names, and no other: strict clients compare it with the URL they connect to. The server names one fixed resource for all its paths.",
		Remedies: fixes(inServer("name the URL of the endpoint as “resource” in the metadata below /.well-known/oauth-protected-resource plus the path of the endpoint."), inClient("use the URL that the metadata names, if that is an endpoint as well.")),
	}
}

func (r *nearResource) report(c *diagnose.Case) {
	if r.finding == nil || c.Until()-r.t < 300e6 || c.ServedSince(r.challenge) {
		return // the recording ends there
	}
	if f := r.finding; r.pathless && !r.pathed {
		f.Side = diagnose.Client
		f.Message += " It did not ask for the metadata of its endpoint, " + quote(resourceWellKnown+r.endpoint) + "."
		f.Cause = "The client asks for the metadata of the root only, or first. For an endpoint with a path the metadata stand at the well-known path plus that path."
		f.Remedies = fixes(inClient("ask for "+resourceWellKnown+" plus the path of the endpoint, or for the URL in WWW-Authenticate, before the root."), inServer("name that URL as resource_metadata in WWW-Authenticate."))
	}
	c.ReportAs("near", *r.finding)
}
