package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/oauth"
)

var oauthMetadataMissing = rule("oauth-metadata-missing", diagnose.Refusals|diagnose.OtherResponses|diagnose.Overall,
	func(c *diagnose.Case) {
		d := diagnose.Memory[discovery](c)
		x := c.Exchange
		switch {
		case c.Row < 0 && x == nil:
			d.decide(c, true)
		case x == nil || d.done:
		case x.Status == 401 && isMCP(c) && c.Refusal != nil && !aboutSession(c):
			d.challenged(c)
		case x.Verb == "GET" && (strings.Contains(x.Path, "/.well-known/") || d.named != "" && x.Path == d.named):
			d.follow(c)
		case x.Messages == 0 && isLoginStep(x):
			d.stepped(c)
		}
	})

// isLoginStep says whether a request goes to one of the places where protocol version
// 2025-03-26 expects the authorization server when there are no metadata.
func isLoginStep(x *session.Exchange) bool {
	return x.Verb == "POST" && (x.Path == "/register" || x.Path == "/token") || x.Verb == "GET" && x.Path == "/authorize"
}

// stepped follows a client that goes on without metadata.
func (d *discovery) stepped(c *diagnose.Case) {
	switch {
	case c.Exchange.Status < 400:
		d.done = true
	case c.Refusal != nil:
		d.decide(c, true)
	}
}

// discovery is a client's search for the server's authorization.
type discovery struct {
	challenge, response uint64 // frames of the first request that got 401
	origin, endpoint    string
	url, named          string // in WWW-Authenticate: the URL of the metadata, and its path
	elsewhere           bool   // that URL does not lead through midwire
	asked               bool   // it was requested, and there is something
	failed              []attempt
	done                bool // found, or reported
}

type attempt struct {
	path   string
	status int
	n      uint64
}

const (
	resourceWellKnown = oauth.ResourceWellKnown
	serverWellKnown   = oauth.ServerWellKnown
	openIDWellKnown   = oauth.OpenIDWellKnown
)

func (d *discovery) challenged(c *diagnose.Case) {
	x := c.Exchange
	if d.challenge == 0 {
		d.challenge, d.response = uint64(x.RequestN), uint64(x.ResponseN)
		d.origin, d.endpoint = originOf(x), x.Path
	}
	if u := parseURL(oauth.ChallengeParam(headerValues(x.ResponseHead, "WWW-Authenticate"), "resource_metadata")); u != nil {
		d.url, d.named, d.elsewhere = u.String(), u.Path, !sameHost(u.Host, x.Header("Host"), u.Scheme)
	}
}

// follow takes one step of the search.
func (d *discovery) follow(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case x.Path == d.named && x.Status < 300 && c.Refusal == nil:
		d.asked, d.done = true, strings.Contains(x.Path, "/.well-known/") // what it is shows in its body
	case x.Status < 300 && c.Refusal == nil:
		d.done = strings.HasPrefix(x.Path, resourceWellKnown) || strings.HasPrefix(x.Path, serverWellKnown) ||
			strings.Contains(x.Path, openIDWellKnown)
	case x.Status >= 400 && c.Refusal != nil && len(d.failed) < 8:
		d.failed = append(d.failed, attempt{x.Path, int(x.Status), uint64(x.ResponseN)})
		d.decide(c, false)
	}
}

// decide says that the search has failed, once that is certain: when the URL
// that the server named leads nowhere, or the search is over. Protocol version
// 2025-03-26 allows a client to go on without metadata.
func (d *discovery) decide(c *diagnose.Case, over bool) {
	if d.done || d.challenge == 0 || len(d.failed) == 0 {
		return
	}
	named := d.named != "" && d.tried(d.named)
	if !named && (!over || !d.tried(resourceWellKnown) && !d.tried(resourceWellKnown+d.endpoint)) {
		return
	}
	d.done = true
	c.ReportAs("", d.finding(named))
}

func (d *discovery) tried(path string) bool {
	return slices.ContainsFunc(d.failed, func(a attempt) bool { return a.path == path })
}

func (d *discovery) finding(named bool) diagnose.Finding {
	f := diagnose.Finding{}
	var tries []string
	for _, a := range d.failed {
		if named && a.path != d.named {
			continue
		}
		f.Frames = append(f.Frames, a.n)
		if tries = append(tries, "GET "+a.path+" gave "+httpStatus(a.status)); named {
			break
		}
	}
	f.Frames = append(f.Frames, d.response, d.challenge)
	f.Message = "The server responded with 401 (" + frame(d.response) + "), and the search for its metadata fails: " + strings.Join(tries, ", ") + "."
	switch {
	case named:
		f.Message += " That is the URL that its WWW-Authenticate header names."
	case d.elsewhere:
		f.Severity, f.Side, f.Confidence = diagnose.Warning, diagnose.Gateway, diagnose.Likely
		f.Cause = "midwire has an address of its own. The client looks for the metadata at the server's real address, bypassing midwire, and refuses it there, because it is not for the address that the client uses."
		f.Remedies = fixes(anyone("To watch a session with a login, give the client a token as an Authorization header, so that it does not log in through midwire."))
		f.Message += " The server named " + quote(d.url) + ", which bypasses midwire."
	case d.asked:
		f.Message += " " + quote(d.url) + ", which the server named, is no such document."
	case d.url != "":
		f.Side = diagnose.Client
		f.Message += " The client did not request " + quote(d.url) + ", which the server named."
	default:
		f.Message += " Expected is " + d.origin + resourceWellKnown + strings.TrimSuffix(d.endpoint, "/") + "."
	}
	return f
}

// originOf is the origin by which the server is known to its clients.
func originOf(x *session.Exchange) string {
	host := sentHost(x)
	if isLoopback(host) && !wasTLS(x) {
		return "http://" + host
	}
	return "https://" + host
}
