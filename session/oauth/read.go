package oauth

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

// exchange is what matters of an HTTP exchange to a flow.
type exchange struct {
	kind            Kind
	n, respN        uint64
	t, respT        int64
	verb, url, host string
	what            string // the method of MCP, else verb and path
	agent           string
	session         int // index, -1 for none
	behind
	version         string
	token, scheme   string // of Authorization: the mask, and the word in front of it
	inQuery         bool   // the token stands in the URL
	empty           bool   // Authorization has no token
	inSession       bool   // it names a session: a plain 401 may be about that
	status          int
	page            bool // the response is HTML
	challenge       string
	location        string
	grant           string // of a token request
	clientID        string
	redirect        string
	resource, scope string
	state, iss      string
	err, described  string
	refresh         string // mask
	method          string // code_challenge_method
	challenged      bool   // there is a code_challenge
	verifier, code  bool
	issued          *grant   // the outcome of a token request, nil for nothing
	unfit           string   // why it has none
	auth            string   // how the client says who it is, of a token request
	redirects       []string // of a registration
}

const (
	grantRefresh = "refresh_token"
	grantClient  = "client_credentials"
)

// read makes an exchange of a request, nil when it has no part in authorization.
func (b *Book) read(e *session.Event) *exchange {
	x := e.Exchange
	host := b.text(x.Header("Host"))
	p := &exchange{
		n: uint64(x.RequestN), t: x.RequestT, verb: clip(x.Verb), host: host, agent: b.text(x.Header("User-Agent")),
		session: -1, inSession: x.SessionID != "", behind: behind{b.text(x.Host), clip(x.Upstream)},
	}
	if e.Session != nil {
		p.session, p.version = e.Session.Index, string(e.Session.ProtocolVersion)
	}
	p.url = b.text(clientURL(x, host) + x.Path)
	p.what = b.text(x.Verb + " " + x.Path)
	if x.Messages > 0 && e.Row >= 0 {
		p.what = b.text(b.t.Name(b.t.Row(int(e.Row)).Name))
	}
	query, _ := url.ParseQuery(start(x.Query))
	p.credential(b, x, query)
	if b.isMCP(x) {
		p.kind = Use
		return p
	}
	if x.Messages > 0 || !p.classify(b, x, query, e.Data) {
		return nil
	}
	return p
}

// isMCP reports whether a request is one to an MCP server.
func (b *Book) isMCP(x *session.Exchange) bool {
	if x.Messages > 0 {
		if len(b.endpoints) < maxURLs {
			b.endpoints[endpoint(x)] = true
		}
		return true
	}
	stream := x.Verb == "GET" && strings.Contains(x.Header("Accept"), "text/event-stream") && !strings.Contains(x.Path, "/.well-known/")
	return stream || b.endpoints[endpoint(x)]
}

// endpoint is a hash of where a request went.
func endpoint(x *session.Exchange) uint64 {
	return wire.HashOn(wire.Hash([]byte(x.Header("Host"))), []byte(x.Path))
}

// clientURL is the origin that the client uses. Before midwire's own address
// there is no TLS.
func clientURL(x *session.Exchange, host string) string {
	if x.Host != "" || x.Proto == "" && (x.Upstream != "" || words.IsLoopback(host)) {
		return "http://" + host
	}
	return "https://" + host
}

// credential reads the token of a request.
func (p *exchange) credential(b *Book, x *session.Exchange, query url.Values) {
	value := x.Header("Authorization")
	if value == "" {
		head, ok := wire.ParseHead(x.RequestHead)
		p.empty = ok && head.Has("Authorization")
		if token := query.Get("access_token"); token != "" {
			p.token, p.inQuery, p.scheme = b.mask(token), true, "Bearer"
		}
		return
	}
	scheme, token, ok := strings.Cut(value, " ")
	if !ok && !strings.EqualFold(value, "Bearer") {
		scheme, token = "", value
	}
	p.scheme = b.text(scheme)
	if token = strings.TrimSpace(token); token == "" {
		p.empty = true
		return
	}
	p.token = b.mask(token)
}

// classify says which step a request is that is none to an MCP server.
func (p *exchange) classify(b *Book, x *session.Exchange, query url.Values, body []byte) bool {
	get, post := x.Verb == "GET", x.Verb == "POST"
	switch {
	case get && (strings.Contains(x.Path, ResourceWellKnown) || b.names(p.url)):
		p.kind = Resource
	case get && (strings.Contains(x.Path, ServerWellKnown) || strings.Contains(x.Path, OpenIDWellKnown)):
		p.kind = Server
	case get && query.Get("response_type") != "":
		p.kind = Authorize
		p.parameters(b, query)
	case get && query.Get("state") != "" && (query.Get("code") != "" || query.Get("error") != ""):
		p.kind = Redirect
		p.parameters(b, query)
	case post && isForm(body):
		form, _ := url.ParseQuery(string(body[:min(len(body), maxForm)]))
		if form.Get("grant_type") == "" {
			return false
		}
		p.kind = Token
		if p.parameters(b, form); p.grant == grantRefresh {
			p.kind = Refresh
		}
	case post && len(wire.Get(body, "redirect_uris")) > 0:
		p.kind = Registration
		p.redirects, p.scope = b.list(wire.Get(body, "redirect_uris")), b.text(wire.Said(wire.Get(body, "scope")))
	default:
		return false
	}
	return true
}

// names reports whether a URL is one of metadata that a challenge named.
func (b *Book) names(url string) bool {
	return url != "" && slices.ContainsFunc(b.flows, func(f *flow) bool { return f.challenge.metadata == url })
}

// isForm reports whether a body begins as a form does.
func isForm(body []byte) bool {
	return len(body) > 0 && body[0] != '{' && body[0] != '[' &&
		bytes.Contains(body[:min(len(body), maxForm)], []byte("grant_type="))
}

const maxForm = 8 << 10

// start bounds what is taken apart.
func start(s string) string { return s[:min(len(s), maxForm)] }

// parameters reads those of an authorization or token request, or of a redirect.
func (p *exchange) parameters(b *Book, v url.Values) {
	get := func(name string) string { return b.text(v.Get(name)) }
	p.grant, p.clientID, p.redirect = get("grant_type"), get("client_id"), get("redirect_uri")
	p.resource, p.scope = get("resource"), get("scope")
	p.state, p.iss = get("state"), get("iss")
	p.err, p.described = get("error"), get("error_description")
	p.method, p.challenged = get("code_challenge_method"), v.Get("code_challenge") != ""
	p.verifier, p.code = v.Get("code_verifier") != "", v.Get("code") != ""
	switch {
	case strings.EqualFold(p.scheme, "Basic"):
		p.auth = "client_secret_basic"
	case v.Has("client_secret"):
		p.auth = "client_secret_post"
	case v.Has("client_assertion"):
		p.auth = "private_key_jwt"
	default:
		p.auth = "none"
	}
	p.refresh = b.mask(v.Get("refresh_token"))
}

const maskMark = "redacted"

// mask is what stands for a credential: its mask in the recording, or a number; "" for none.
func (b *Book) mask(s string) string {
	if s == "" || s == maskMark || len(s) == len(maskMark)+9 && strings.HasPrefix(s, maskMark+":") &&
		strings.Trim(s[len(maskMark)+1:], "0123456789abcdef") == "" {
		return strings.Clone(s)
	}
	key := wire.Hash([]byte(s))
	n := b.kept[key]
	if n == 0 {
		if len(b.kept) >= maxKept {
			return maskMark
		}
		n = len(b.kept) + 1
		b.kept[key] = n
	}
	return "kept:" + strconv.Itoa(n)
}

// saysWhich reports whether a mask tells one credential from another.
func saysWhich(mask string) bool { return mask != "" && mask != maskMark }

// list reads an array of strings.
func (b *Book) list(raw []byte) []string {
	var all []string
	wire.Items(raw, func(_ int, v []byte) bool {
		all = append(all, b.text(wire.Said(v)))
		return len(all) < maxList
	})
	return all
}

// described is what the body of a refusal says in words, in the member of OAuth or of others.
func (b *Book) described(body []byte) string {
	text := func(name string) string { return wire.Said(wire.Get(body, name)) }
	return b.text(cmp.Or(text("error_description"), text("message"), text("detail")))
}

// origin is scheme and host of a URL, "" for what is none. Case and the default
// port do not matter.
func origin(s string) string {
	u := words.ParseURL(s)
	if u == nil {
		return ""
	}
	scheme, host := words.Fold(u.Scheme), words.Fold(u.Host)
	return scheme + "://" + strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
}

func hostOf(s string) string {
	_, host, _ := strings.Cut(origin(s), "://")
	return host
}

// backFrom is the redirect back to the client that an authorization endpoint
// responded with, nil for none.
func backFrom(b *Book, p *exchange) *exchange {
	u := words.ParseURL(p.location)
	if p.status/100 != 3 || u == nil {
		return nil
	}
	query := u.Query()
	if query.Get("code") == "" && query.Get("error") == "" {
		return nil // to a login page
	}
	back := &exchange{kind: Redirect, n: p.respN, url: b.text(p.location), what: "redirect with a code"}
	if query.Get("code") == "" {
		back.what = "redirect with an error"
	}
	back.parameters(b, query)
	return back
}

// Where metadata are, before the path of what they are about.
const (
	ResourceWellKnown = "/.well-known/oauth-protected-resource"
	ServerWellKnown   = "/.well-known/oauth-authorization-server"
	OpenIDWellKnown   = "/.well-known/openid-configuration"
)

// ChallengeParam is a parameter of WWW-Authenticate, "" for none.
func ChallengeParam(challenge, name string) string {
	lower := words.Fold(challenge)
	for from := 0; ; {
		i := strings.Index(lower[from:], name)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(name)
		value, ok := strings.CutPrefix(strings.TrimLeft(challenge[from:], " "), "=")
		if !ok || i > 0 && !strings.ContainsRune(" ,\t", rune(lower[i-1])) {
			continue
		}
		value = strings.TrimLeft(value, " ")
		if inside, quoted := strings.CutPrefix(value, `"`); quoted {
			value, _, _ = strings.Cut(inside, `"`)
			return value
		}
		if end := strings.IndexAny(value, ", "); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// MissingScopes are those of a list that another one has not.
func MissingScopes(want, has string) []string {
	all := strings.Fields(has)
	return slices.DeleteFunc(strings.Fields(want), func(s string) bool { return slices.Contains(all, s) })
}

// Identifier is the identifier of an authorization server that metadata at a URL are
// of, "" when they are none (RFC 8414 3, OpenID Connect Discovery 4).
func Identifier(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return ""
	}
	for _, place := range []string{ServerWellKnown, OpenIDWellKnown} {
		if before, after, ok := strings.Cut(u.Path, place); ok && (before == "" || after == "") {
			return u.Scheme + "://" + u.Host + before + after
		}
	}
	return ""
}

// SameIssuer reports whether an issuer is an identifier. They must be equal to the last
// character (RFC 8414 3.3); slash says that they are but for a slash at the end.
func SameIssuer(identifier, issuer string) (same, slash bool) {
	same = identifier == issuer
	return same, !same && strings.TrimSuffix(identifier, "/") == strings.TrimSuffix(issuer, "/")
}

// slashDiffers says whether the resource is the URL of the client but for the slash at
// its end. The root of a server is the same with and without.
func (j *judge) slashDiffers() bool {
	a, b := j.prm.resource, j.url
	return a != b && strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") && strings.Trim(pathOf(b), "/") != ""
}

// nearResource is metadata of a resource above the endpoint: strict clients do not use it.
func (j *judge) nearResource(c *Check) {
	c.compare(j.url, j.asked.n)
	c.as("resource-differs above")
	if j.slashDiffers() {
		c.as("resource-differs slash")
	}
	root, own := false, false
	for _, a := range j.attempts[Resource].list {
		at := strings.HasSuffix(strings.TrimSuffix(pathOf(a.url), "/"), ResourceWellKnown)
		root, own = root || at, own || !at
	}
	if root && !own {
		c.as("resource-differs root", "path", pathOf(j.url))
	}
}
