package oauth

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"midwire/session/wire"
)

// The last step of the login: the code for a token.

func (j *judge) tokens() {
	j.step.To = AuthServer
	var r *exchange
	for _, one := range j.requests {
		if one.kind == Token && (r == nil || !j.isAfterStepUp(one.n)) {
			r = one
		}
	}
	if r == nil {
		j.say(NotSeen, "no token request")
		return
	}
	j.say(Done, r.grantType()+j.afterNonce())
	if j.tokenParameters(r); r.issued == nil {
		j.step.Text = refusalText(r.status, r.err, r.described)
		j.tokenRefused(r)
		return
	}
	j.granted(r)
}

// tokenRefused says why there is no token. A client that is not known compares
// how it says who it is with how it may.
func (j *judge) tokenRefused(r *exchange) {
	j.step.State = Failed
	c := check("token-refused", val{r.grant, r.n}, val{})
	offered := slices.Contains(j.asm.auth, r.auth) || len(j.asm.auth) == 0 && r.auth == "client_secret_basic"
	switch {
	case r.status/100 == 2 && r.err == "":
		j.fail(check("token-response-invalid", val{}, val{"", r.respN},
			"what", r.what, "n", number(r.respN), "unfit", r.unfit, "url", r.url), r.respN, r.n)
		return
	case r.err == "invalid_grant":
		c.as("token-refused grant")
	case r.err == "invalid_target" && j.prm.resource != "" && r.resource != "" && r.resource != j.prm.resource:
		c.as("token-refused spelling", "resource", j.prm.resource)
		c.compare(r.resource, r.n)
		c.Frames = []uint64{j.prm.n}
	case r.err == "invalid_target":
		c.as("token-refused resource")
	case r.err != "invalid_client" || j.reg.clientID == "":
	case offered:
		c.as("token-refused offered", "auth", r.auth)
		c.Frames = []uint64{j.reg.n, j.asm.n}
	case len(j.asm.auth) > 0:
		c.as("token-refused not offered", "auth", r.auth, "offered", strings.Join(j.asm.auth, ", "))
		c.compare(strings.Join(j.asm.auth, " "), j.asm.n)
	}
	j.stepFailed(&c, r, "token", j.asm.token, r.err)
}

func (r *exchange) grantType() string { return strings.ReplaceAll(r.grant, "_", " ") }

// tokenParameters compares a token request with the authorization request.
func (j *judge) tokenParameters(r *exchange) {
	j.resourceParameter(r)
	if !r.code || len(j.authz) == 0 {
		return
	}
	a := j.asksFirst()
	differ := func(name, was, is string) {
		if was != is && r.n >= a.n {
			j.fail(check("token-request-differs", val{was, a.n}, val{is, r.n}, "name", name, "id", strings.ReplaceAll(name, "_", "-")))
		}
	}
	differ("redirect_uri", a.redirect, r.redirect)
	if r.clientID != "" {
		differ("client_id", a.clientID, r.clientID)
	}
	if a.challenged && !r.verifier {
		j.fail(check("code-verifier-missing", val{a.method, a.n}, val{"", r.n}))
	}
}

// granted checks what was issued.
func (j *judge) granted(r *exchange) {
	g := r.issued
	j.link("access_token", g.access)
	j.link("refresh_token", g.refresh)
	if j.link("scope", g.scope); g.expires > 0 {
		j.link("expires_in", strconv.FormatInt(g.expires, 10))
	}
	if !isTokenType(g.kind) {
		j.fail(check("token-type", val{g.kind, g.n}, val{}))
	}
	if lacks := strings.Join(MissingScopes(j.challenge.scope, g.scope), " "); g.scope != "" && lacks != "" {
		j.fail(check("scope-not-granted", val{j.challenge.scope, j.challenge.n}, val{g.scope, g.n}, "missing", lacks))
	}
	j.claimChecks(g)
}

// claimChecks compares the claims of a JWT with the metadata.
func (j *judge) claimChecks(g *grant) {
	want := cmp.Or(j.prm.resource, j.url)
	isFor := func(a string) bool { return sameResource(a, want) }
	if all := g.audience(); len(all) > 0 && want != "" && !slices.ContainsFunc(all, isFor) {
		j.fail(check("audience-differs", val{want, j.prm.n}, val{strings.Join(all, " "), g.n}))
	}
	if iss := unquote(g.claim("iss")); iss != "" && j.asm.issuer != "" && iss != j.asm.issuer {
		j.fail(check("token-issuer-differs", val{j.asm.issuer, j.asm.n}, val{iss, g.n}))
	}
}

func sameResource(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") ||
		origin(a) != "" && origin(a) == origin(b) && pathOf(a) == pathOf(b)
}

func pathOf(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	return strings.TrimSuffix(u.Path, "/")
}

const (
	maxToken  = 16 << 10
	maxClaims = 32
)

// claims reads the payload of a JWT that the recording holds as it is. opaque
// says that it is held, and no JWT. The signature is not looked at.
func (b *Book) claims(token string) (all []Claim, opaque bool) {
	if strings.HasPrefix(b.mask(token), maskMark) {
		return nil, false
	}
	parts := strings.Split(token[:min(len(token), maxToken)], ".")
	if len(parts) != 3 {
		return nil, true
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || !wire.Valid(payload) {
		return nil, true
	}
	ok := wire.Each(payload, func(key, value []byte) bool {
		all = append(all, Claim{b.text(wire.Said([]byte(`"` + string(key) + `"`))), b.text(string(value))})
		return len(all) < maxClaims
	})
	return all, !ok && len(all) == 0
}

// claim is the JSON of a claim, "" for none.
func (g *grant) claim(name string) string {
	for _, c := range g.claims {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// audience lists those of a token.
func (g *grant) audience() []string {
	raw := []byte(g.claim("aud"))
	if one := wire.Said(raw); one != "" {
		return []string{one}
	}
	var all []string
	wire.Items(raw, func(_ int, v []byte) bool {
		all = append(all, wire.Said(v))
		return len(all) < maxList
	})
	return all
}

// expiry is when the token says that it ends, in seconds since 1970, 0 when it
// does not.
func (g *grant) expiry() int64 {
	n, err := strconv.ParseFloat(g.claim("exp"), 64)
	if err != nil || n < 0 || n > 1e12 {
		return 0
	}
	return int64(n)
}

// DPoP (RFC 9449; SEP-1932): a token that only who has a key may use. A server that wants
// a nonce in the proof refuses the first request with it, and the client asks again.

const (
	dpopScheme = "DPoP"
	wantsNonce = "use_dpop_nonce"
)

// isTokenType says whether tokens of a type can be used with MCP.
func isTokenType(kind string) bool {
	return strings.EqualFold(kind, "Bearer") || strings.EqualFold(kind, dpopScheme)
}

// OtherScheme says whether a challenge asks for something else than a token, such as a password
// or the key of a gateway.
func OtherScheme(challenge string) bool {
	scheme, _, _ := strings.Cut(strings.TrimSpace(challenge), " ")
	return scheme != "" && !isTokenType(strings.TrimSuffix(scheme, ","))
}

// schemeOf is the scheme with which a token is to be sent.
func (j *judge) schemeOf(r *exchange) string {
	kind := r.scheme // of a token that was issued before
	if g := j.grantOf(r.token); g != nil {
		kind = g.kind
	}
	if strings.EqualFold(kind, dpopScheme) {
		return dpopScheme
	}
	return "Bearer"
}

// afterNonce says that the token endpoint asked for a nonce first, "" where it did not.
func (j *judge) afterNonce() string {
	if slices.ContainsFunc(j.requests, func(r *exchange) bool { return r.kind == Token && r.err == wantsNonce }) {
		return ", after a nonce of DPoP"
	}
	return ""
}

// nonceOfUse says the same of the MCP server. It fails where the client did not come back
// with the nonce.
func (j *judge) nonceOfUse() {
	p := j.nonce
	if p == nil {
		return
	}
	if j.lastUse != nil && j.lastUse.n > p.n {
		j.step.Text += ", after a nonce of DPoP"
		return
	}
	const patience = 3e9
	if j.until-p.respT < patience {
		return
	}
	j.say(Failed, "the server asked for a nonce of DPoP, and the client did not come back")
	j.fail(check("dpop-nonce-unused", val{wantsNonce, p.respN}, val{"", p.n}))
}

// codeUnused finds a code that came back to the client and was not changed for a token,
// where the recording has the authorization server too.
func (j *judge) codeUnused() {
	const patience = 5e9
	p := j.back
	if !p.code || p.err != "" || len(j.authz) == 0 || j.has(Token) || j.until-p.respT < patience {
		return
	}
	a := latest(j.authz)
	if a.respN != 0 && j.asm.token != "" && hostOf(j.asm.token) == a.host {
		j.fail(check("token-not-requested", val{"", p.n}, val{}, "endpoint", j.asm.token), a.n)
	}
}
