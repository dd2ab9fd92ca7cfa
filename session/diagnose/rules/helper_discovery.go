package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/oauth"
	"midwire/session/wire"
)

// lookupOn is what rules are asked about that call lookupOf.
const lookupOn = diagnose.OtherRequests | diagnose.OtherResponses | diagnose.OtherBodies | diagnose.Refusals |
	diagnose.Results | diagnose.Overall

// lookup is how far a client got that was told to log in.
type lookup struct {
	count      uint64 // of events that were seen
	challenge  uint64 // frame of the latest 401
	named      string // URL of the metadata in it, when it leads to the same server
	asked      bool   // for metadata of the server
	resource   uint64 // frame of these
	servers    []string
	failed     []attempt // requests for metadata of the authorization server
	at         string    // origin that the latest of them asked
	server     serverDoc
	registered []string // redirect URIs
	stepped    uint64   // a login step beyond the metadata
	served     bool     // after the challenge
}

// serverDoc is the metadata of an authorization server.
type serverDoc struct {
	n, request       uint64
	target           string // the request for it
	identifier       string // that it was asked for by
	issuer, register string
	documents        bool // it takes client ID metadata documents
	visible          bool // its token endpoint leads to the host that was asked
	midwire          bool // it is of the server behind midwire
}

// lookupOf is what is known of a client's way to an authorization server, the case in
// hand included.
func lookupOf(c *diagnose.Case) *lookup {
	l := diagnose.Shared[lookup](c)
	x := c.Exchange
	if x == nil || l.count == c.Count() {
		return l
	}
	l.count = c.Count()
	switch {
	case c.Kind == messageKind && c.Refusal == nil:
		l.served = l.challenge != 0
	case x.Status == 401 && x.Messages > 0:
		l.challenged(x)
	case x.Messages > 0:
	case c.Kind == requestKind:
		l.request(x, c.Data)
	case c.Kind == responseKind && x.Status >= 400 && isServerMetadata(x):
		if l.at = originOf(x); len(l.failed) < 8 {
			l.failed = append(l.failed, attempt{x.Path, int(x.Status), uint64(x.ResponseN)})
		}
	case c.Kind == bodyKind && x.Status == 200 && x.Verb == "GET":
		l.document(c)
	case c.Kind == bodyKind && x.Status/100 == 2 && wire.Get(c.Data, "redirect_uris") != nil:
		l.registered = nil
		wire.Items(wire.Get(c.Data, "redirect_uris"), func(_ int, v []byte) bool {
			l.registered = append(l.registered, text(v))
			return len(l.registered) < 16
		})
	}
	return l
}

func isServerMetadata(x *session.Exchange) bool {
	return x.Verb == "GET" && (strings.HasPrefix(x.Path, serverWellKnown) || strings.Contains(x.Path, openIDWellKnown))
}

// challenged begins the search, again if there was one.
func (l *lookup) challenged(x *session.Exchange) {
	l.challenge, l.served = uint64(x.ResponseN), false
	named := oauth.ChallengeParam(headerValues(x.ResponseHead, "WWW-Authenticate"), "resource_metadata")
	if u := parseURL(named); u != nil && sameHost(u.Host, x.Header("Host"), u.Scheme) {
		l.named = named
	}
}

func (l *lookup) request(x *session.Exchange, body []byte) {
	switch {
	case strings.HasPrefix(x.Path, resourceWellKnown):
		l.asked = true
	case isLoginStep(x), x.Verb == "POST" && isTokenRequest(body), strings.Contains(x.Query, "response_type="),
		x.Verb == "POST" && wire.Get(body, "redirect_uris") != nil:
		l.stepped = uint64(x.RequestN)
	}
}

// document takes metadata.
func (l *lookup) document(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case strings.HasPrefix(x.Path, resourceWellKnown) && wire.Get(c.Data, "authorization_servers") != nil:
		l.resource, l.servers = c.N, nil
		wire.Items(wire.Get(c.Data, "authorization_servers"), func(_ int, v []byte) bool {
			l.servers = append(l.servers, text(v))
			return len(l.servers) < 8
		})
	case isServerMetadata(x) && isJSONObject(c.Data):
		get := func(name string) string { return wire.Text(wire.Get(c.Data, name)) }
		d := serverDoc{
			n: c.N, request: uint64(x.RequestN), target: target(x), identifier: oauth.Identifier(originOf(x) + x.Path),
			issuer: get("issuer"), register: get("registration_endpoint"),
			documents: string(wire.Get(c.Data, "client_id_metadata_document_supported")) == "true",
		}
		if u := parseURL(get("token_endpoint")); u != nil {
			d.visible = sameHost(u.Host, x.Header("Host"), u.Scheme)
		}
		if u := parseURL(d.issuer); u != nil && !sameHost(u.Host, x.Header("Host"), u.Scheme) {
			d.midwire = x.Host != "" || isUpstream(x, u.Host)
		}
		l.server = d
	}
}

// gaveUp says whether the client went no further than the metadata.
func (l *lookup) gaveUp() bool { return l.challenge != 0 && l.stepped == 0 && !l.served }
