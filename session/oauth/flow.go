package oauth

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// flow is what was seen of one try.
type flow struct {
	agent, host, url string
	client, version  string
	session, try     int
	judged           []Check // as of the change judgedAt
	judgedAt         int
	changes          int

	attempts [Kinds]attempts
	asked    exchange // the first request that was refused without a token
	lastAsk  *exchange

	unfit     string // why the latest document is no metadata
	challenge challenge
	prm       resourceMetadata
	asm       serverMetadata
	reg       registration
	authz     []*exchange
	back      *exchange
	requests  []*exchange // for tokens
	grants    []*grant

	served    bool // a request was, without a credential, since the refusal
	accepted  int
	lastToken string      // of the latest request that was accepted
	refusals  []*exchange // of requests with a token
	lastUse   *exchange
	nonce     *exchange // the latest request that was refused for a nonce of DPoP
	unsent    *exchange // a request without the token that was issued before
	moved     *exchange // a request with a token that was sent elsewhere
	dropped   *exchange // what came there without it, and was refused
	empty     *exchange // a request whose Authorization has no token
}

// attempts are the exchanges of a step: the first ones and the last.
type attempts struct {
	list []*exchange
	more int
}

func (a *attempts) add(p *exchange) {
	if len(a.list) >= maxAttempts {
		a.list = slices.Delete(a.list, maxAttempts/2, maxAttempts/2+1)
		a.more++
	}
	a.list = append(a.list, p)
}

// challenge is what the first refusal says.
type challenge struct {
	n                uint64
	has              bool
	scheme, metadata string
	scope, err       string
}

type resourceMetadata struct {
	n, reqN uint64
	t       int64
	behind
	url, resource string
	servers       []string
	scopes        []string
	known         bool // from the try before
}

type serverMetadata struct {
	behind
	n, reqN                    uint64
	url, issuer                string
	authorize, token, register string
	methods                    []string
	grants, auth, scopes       []string
	sendsIss, takesDocuments   bool
	known                      bool
}

type registration struct {
	n              uint64
	clientID       string
	redirects      []string
	status         int
	err, described string
	known          bool
	unfit          string // what is wrong with the client's credentials, "" for nothing
}

// grant is what a token endpoint issued.
type grant struct {
	n                   uint64
	t                   int64
	access, refresh, id string
	kind, scope         string
	expires             int64 // seconds, 0 when that was not said
	claims              []Claim
	opaque              bool
}

// has reports whether a step was seen.
func (f *flow) has(k Kind) bool { return len(f.attempts[k].list) > 0 }

// isOver reports whether a request without a token begins another try.
func (f *flow) isOver() bool {
	if f.has(Registration) || f.has(Authorize) || f.has(Token) || f.accepted > 0 || len(f.refusals) > 0 {
		return true
	}
	return f.has(Server) && f.asm.n == 0 || f.has(Resource) && f.prm.n == 0
}

// isStepUp reports whether the server asked the client for more scopes, and did not
// come back with them.
func (f *flow) isStepUp() bool {
	n := len(f.refusals)
	return n > 0 && f.refusals[n-1].status == 403 && (f.lastUse == nil || f.lastUse.n <= f.refusals[n-1].n)
}

// follow makes f the try after another, begun by an exchange.
func (f *flow) follow(before *flow, p *exchange) {
	f.agent, f.host, f.url, f.client, f.version = before.agent, before.host, before.url, before.client, before.version
	f.try, f.prm, f.asm, f.reg = before.try+1, before.prm, before.asm, before.reg
	f.prm.known, f.asm.known, f.reg.known = f.prm.n != 0, f.asm.n != 0, f.reg.n != 0
	if before.lastAsk == nil || p.kind == Use {
		return
	}
	// What was discovered since the latest refusal belongs to this try.
	f.refused(before.lastAsk)
	for _, k := range []Kind{Resource, Server} {
		old := &before.attempts[k]
		at := slices.IndexFunc(old.list, func(a *exchange) bool { return a.n > before.lastAsk.n })
		if at <= 0 {
			continue
		}
		f.attempts[k].list = slices.Clone(old.list[at:])
		old.list = old.list[:at]
	}
	before.lastAsk = nil
}

// clientID is the latest that was seen.
func (f *flow) clientID() string {
	for _, r := range slices.Backward(f.requests) {
		if r.clientID != "" {
			return r.clientID
		}
	}
	for _, a := range slices.Backward(f.authz) {
		if a.clientID != "" {
			return a.clientID
		}
	}
	return f.reg.clientID
}

// used takes a request to the MCP server.
func (f *flow) used(b *Book, p *exchange) {
	f.url = cmp.Or(f.url, p.url)
	if p.session >= 0 && f.accepted == 0 {
		f.session, f.version = p.session, p.version
	}
	switch {
	case p.token != "" && p.status/100 == 3:
		f.attempts[Use].add(p)
		f.moved = p
	case p.token == "" && p.status == 401:
		if f.leads(p) {
			f.dropped = p
		}
		f.refused(p)
		if f.challenged(b, p); p.empty {
			f.empty = p
		}
	case p.token == "":
	case p.status == 401 && ChallengeParam(p.challenge, "error") == wantsNonce:
		f.attempts[Use].add(p)
		f.nonce, f.lastAsk = p, p
	case p.status == 401 || p.status == 403:
		f.attempts[Use].add(p)
		f.lastUse, f.lastAsk = p, p
		p.said(b)
		if f.refusals = append(f.refusals, p); len(f.refusals) > maxAttempts {
			f.refusals = slices.Delete(f.refusals, 1, 2)
		}
		if p.isScope() {
			f.attempts[StepUp].add(p)
		}
		if f.challenge.n == 0 {
			f.challenged(b, p)
		}
	case p.status < 500:
		if f.accepted == 0 || f.lastToken != p.token || f.lastRefused() {
			f.attempts[Use].add(p)
		}
		f.accepted++
		f.lastToken, f.lastUse = p.token, p
	}
}

// said reads what a challenge says of the refusal.
func (p *exchange) said(b *Book) {
	param := func(name string) string { return b.text(ChallengeParam(p.challenge, name)) }
	p.err, p.scope, p.described = param("error"), param("scope"), param("error_description")
}

// leads reports whether a redirect of a request with a token leads to another one.
func (f *flow) leads(p *exchange) bool {
	if f.moved == nil || p.agent != f.agent {
		return false
	}
	path, at := f.moved.location, words.ParseURL(p.url)
	if to := words.ParseURL(path); to != nil && !strings.HasPrefix(path, "/") {
		path = to.Path
	}
	return at != nil && path == at.Path
}

// isScope reports whether a token was refused for what it lacks.
func (p *exchange) isScope() bool {
	return p.status == 403 && (p.err == "insufficient_scope" || p.scope != "")
}

// refused takes the request that got a challenge.
func (f *flow) refused(p *exchange) {
	f.attempts[Ask].add(p)
	f.lastAsk, f.served = p, false
	if f.asked.n == 0 {
		f.asked = *p
	}
}

func (f *flow) challenged(b *Book, p *exchange) {
	p.said(b)
	c := challenge{n: p.respN, has: p.challenge != "", scope: p.scope, err: p.err}
	scheme, _, _ := strings.Cut(p.challenge, " ")
	c.scheme = b.text(strings.TrimSuffix(scheme, ","))
	c.metadata = b.text(ChallengeParam(p.challenge, "resource_metadata"))
	if f.challenge.n == 0 || f.challenge.metadata == "" && (c.has || !p.inSession) {
		f.challenge = c
	}
}

// resourceMetadata takes those of the MCP server.
func (f *flow) resourceMetadata(b *Book, p *exchange, body []byte) {
	f.attempts[Resource].add(p)
	if p.status != 200 || wire.Get(body, "resource") == nil && wire.Get(body, "authorization_servers") == nil {
		f.unfit = unfit(body, "authorization_servers")
		return
	}
	f.prm = resourceMetadata{
		n: p.respN, reqN: p.n, t: p.respT, url: p.url, behind: p.behind,
		resource: b.text(wire.Said(wire.Get(body, "resource"))),
		servers:  b.list(wire.Get(body, "authorization_servers")),
		scopes:   b.list(wire.Get(body, "scopes_supported")),
	}
}

// unfit says why a document is no metadata.
func unfit(body []byte, lacks string) string {
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '{' || !wire.Valid(body) {
		return "is not JSON"
	}
	return "names no " + lacks
}

// serverMetadata takes those of the authorization server.
func (f *flow) serverMetadata(b *Book, p *exchange, body []byte) {
	f.attempts[Server].add(p)
	text := func(name string) string { return b.text(wire.Said(wire.Get(body, name))) }
	if p.status != 200 || text("issuer")+text("token_endpoint")+text("authorization_endpoint") == "" {
		f.unfit = unfit(body, "issuer")
		return
	}
	is := func(name string) bool { return string(wire.Get(body, name)) == "true" }
	f.asm = serverMetadata{
		n: p.respN, reqN: p.n, url: p.url, behind: p.behind, issuer: text("issuer"),
		authorize: text("authorization_endpoint"), token: text("token_endpoint"), register: text("registration_endpoint"),
		methods:        b.list(wire.Get(body, "code_challenge_methods_supported")),
		grants:         b.list(wire.Get(body, "grant_types_supported")),
		auth:           b.list(wire.Get(body, "token_endpoint_auth_methods_supported")),
		scopes:         b.list(wire.Get(body, "scopes_supported")),
		sendsIss:       is("authorization_response_iss_parameter_supported"),
		takesDocuments: is("client_id_metadata_document_supported"),
	}
}

// registered takes a dynamic registration.
func (f *flow) registered(b *Book, p *exchange, body []byte) {
	f.attempts[Registration].add(p)
	f.reg = registration{
		n: p.respN, status: p.status, redirects: p.redirects,
		clientID:  b.text(wire.Said(wire.Get(body, "client_id"))),
		err:       b.text(wire.Said(wire.Get(body, "error"))),
		described: b.described(body),
	}
	if secret := bytes.TrimSpace(wire.Get(body, "client_secret")); len(secret) > 0 && secret[0] != '"' {
		f.reg.unfit = "client_secret is null, or another value that is no string" // which may be secret
	}
	if again := b.list(wire.Get(body, "redirect_uris")); len(again) > 0 {
		f.reg.redirects = again
	}
}

// authorized takes a request to the authorization endpoint, and the redirect
// that it may be answered with.
func (f *flow) authorized(b *Book, p *exchange, body []byte) {
	if p.status >= 400 {
		p.err, p.described = b.text(wire.Said(wire.Get(body, "error"))), b.described(body)
		if p.err+p.described == "" {
			p.described = entraCode(string(body[:min(len(body), maxForm)]))
		}
	}
	f.attempts[Authorize].add(p)
	if len(f.authz) < maxAttempts {
		f.authz = append(f.authz, p)
	}
	if back := backFrom(b, p); back != nil {
		f.cameBack(back)
	}
}

// entraCode is the code of an error on a page of Microsoft Entra, "" for none.
func entraCode(page string) string {
	i := strings.Index(page, "AADSTS")
	if i < 0 {
		return ""
	}
	rest := strings.TrimLeft(page[i+len("AADSTS"):], "0123456789")
	return strings.Clone(page[i : len(page)-len(rest)])
}

// cameBack takes the redirect to the client. The location says it first.
func (f *flow) cameBack(p *exchange) {
	if p.kind == Redirect && p.verb != "" || !f.has(Redirect) {
		f.attempts[Redirect].add(p)
	}
	f.back = p
}

// token takes a request to the token endpoint.
func (f *flow) token(b *Book, p *exchange, body []byte) {
	f.attempts[p.kind].add(p)
	text := func(name string) string { return wire.Said(wire.Get(body, name)) }
	if len(f.requests) < 4*maxAttempts {
		f.requests = append(f.requests, p)
	}
	if p.status != 200 || text("access_token") == "" {
		p.err, p.described, p.unfit = b.text(text("error")), b.described(body), unfit(body, "access_token")
		return
	}
	g := &grant{n: p.respN, t: p.respT, kind: b.text(text("token_type")), scope: b.text(text("scope"))}
	g.access = b.mask(text("access_token"))
	g.claims, g.opaque = b.claims(text("access_token"))
	g.refresh, g.id = b.mask(text("refresh_token")), b.mask(text("id_token"))
	g.expires, _ = wire.Int(wire.Get(body, "expires_in"))
	p.issued = g
	if f.grants = append(f.grants, g); len(f.grants) > 4*maxAttempts {
		f.grants = slices.Delete(f.grants, 1, 2)
	}
}
