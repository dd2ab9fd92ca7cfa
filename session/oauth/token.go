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
	var r *tokenRequest
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
	if j.tokenParameters(r); r.grant == nil {
		j.step.Text = refusalText(r.status, r.err, r.described)
		j.tokenRefused(r)
		return
	}
	j.granted(r)
}

// tokenRefused says why there is no token. A client that is not known compares
// how it says who it is with how it may.
func (j *judge) tokenRefused(r *tokenRequest) {
	j.step.State = Failed
	c := Check{
		ID: "token-refused", Who: Client, Spec: "RFC 6749 5.2",
		A:   Side{"asked with grant_type", r.exchange.grant, r.n},
		Fix: "See what the authorization server says, and its log.",
	}
	offered := slices.Contains(j.asm.auth, r.auth) || len(j.asm.auth) == 0 && r.auth == "client_secret_basic"
	switch {
	case r.status/100 == 2 && r.err == "":
		j.fail(Check{
			ID: "token-response-invalid", Rule: "oauth-step-failed", Who: AuthServer, Now: true, Spec: "RFC 6749 5.1",
			Text: "The response to the token request " + r.what + " (" + frame(r.respN) + ") " + r.unfit + ".",
			A:    Side{"expected", "JSON with access_token", 0}, B: Side{"the response", r.unfit + ": POST " + r.url, r.respN}, Frames: []uint64{r.respN, r.n},
			Cause: "The token endpoint responds in another form, such as form fields: some do where the request does not ask for JSON.",
			Fix:   "Respond with JSON that has access_token and token_type. A client can ask for it with Accept: application/json.",
		})
		return
	case r.err == "invalid_grant":
		c.Fix = "The code is spent, too old, or of another redirect_uri or code_verifier: log in again."
	case r.err == "invalid_target" && j.prm.resource != "" && r.resource != "" && r.resource != j.prm.resource:
		c.A, c.Frames = Side{"asked for the resource", r.resource, r.n}, []uint64{j.prm.n}
		c.Text = " The metadata names the resource " + quoted(j.prm.resource) + ": the two are not the same."
		c.Cause = "The authorization server compares the resource to the last character, and the client does not send it as the metadata has it: many libraries for URLs put a slash behind the name of a host."
		c.Fix = "Send the resource exactly as the metadata has it. Until then, in the authorization server: register both spellings."
	case r.err == "invalid_target":
		c.Fix = "Name a resource that the authorization server knows, or register the MCP server there."
	case r.err != "invalid_client" || j.reg.clientID == "":
	case offered:
		c.Who, c.Doubt, c.Frames = AuthServer, Likely, []uint64{j.reg.n, j.asm.n}
		c.Text = " The server had registered the client, and its metadata offers the client authentication that the request uses, " + r.auth + "."
		c.Cause = "The token endpoint does not read the credentials where its metadata says, or has lost the registration: it was restarted, or several instances do not share their store."
		c.Fix = "Accept " + r.auth + " at the token endpoint, or take it out of token_endpoint_auth_methods_supported; keep registrations in a store that lasts."
	case len(j.asm.auth) > 0:
		c.A = Side{"token_endpoint_auth_methods_supported", strings.Join(j.asm.auth, " "), j.asm.n}
		c.Text = " The request uses the client authentication " + r.auth + "; the metadata offers " + strings.Join(j.asm.auth, ", ") + "."
		c.Cause = "The client does not authenticate as the server wants it."
		c.Fix = "Use a client authentication that token_endpoint_auth_methods_supported lists."
	}
	j.stepFailed(&c, r.exchange, "token", j.asm.token, r.err)
}

func (r *tokenRequest) grantType() string { return strings.ReplaceAll(r.exchange.grant, "_", " ") }

// tokenParameters compares a token request with the authorization request.
func (j *judge) tokenParameters(r *tokenRequest) {
	j.resourceParameter(r.exchange)
	if !r.code || len(j.authz) == 0 {
		return
	}
	a := j.asksFirst()
	differ := func(name, was, is string) {
		if was == is || r.n < a.n {
			return
		}
		j.fail(Check{
			ID: strings.ReplaceAll(name, "_", "-") + "-differs", Who: Client, Spec: "RFC 6749 4.1.3",
			Text: "The token request has another " + name + " than the authorization request.",
			A:    Side{name + " of the authorization request", was, a.n}, B: Side{name + " of the token request", is, r.n},
			Fix: "Send the same " + name + " in both.",
		})
	}
	differ("redirect_uri", a.redirect, r.redirect)
	if r.clientID != "" {
		differ("client_id", a.clientID, r.clientID)
	}
	if a.challenged && !r.verifier {
		j.fail(Check{
			ID: "code-verifier-missing", Who: Client, Spec: "RFC 7636 4.5",
			Text: "The token request has no code_verifier for the code challenge.",
			A:    Side{"code_challenge_method", a.method, a.n}, B: Side{"code_verifier", "", r.n},
			Fix: "Send the code_verifier that the challenge was made of.",
		})
	}
}

// granted checks what was issued.
func (j *judge) granted(r *tokenRequest) {
	g := r.grant
	j.link("access_token", g.access)
	j.link("refresh_token", g.refresh)
	if j.link("scope", g.scope); g.expires > 0 {
		j.link("expires_in", strconv.FormatInt(g.expires, 10))
	}
	if !isTokenType(g.kind) {
		j.fail(Check{
			ID: "token-type", Who: AuthServer, Spec: "RFC 6749 7.1",
			Text: "The token is of a type that MCP does not use.",
			A:    Side{"token_type", g.kind, g.n}, B: Side{"expected", "Bearer", 0}, Fix: "Issue bearer tokens.",
		})
	}
	if lacks := strings.Join(MissingScopes(j.challenge.scope, g.scope), " "); g.scope != "" && lacks != "" {
		j.fail(Check{
			ID: "scope-not-granted", Who: AuthServer, Spec: "RFC 6749 5.1",
			Text: "The token has fewer scopes than the server wants: " + lacks + " is missing.",
			A:    Side{"the server wants", j.challenge.scope, j.challenge.n}, B: Side{"the token has", g.scope, g.n},
			Fix: "Allow the scopes for this client and user at the authorization server.",
		})
	}
	j.claimChecks(g)
}

// claimChecks compares the claims of a JWT with the metadata.
func (j *judge) claimChecks(g *grant) {
	want := cmp.Or(j.prm.resource, j.url)
	isFor := func(a string) bool { return sameResource(a, want) }
	if all := g.audience(); len(all) > 0 && want != "" && !slices.ContainsFunc(all, isFor) {
		j.fail(Check{
			ID: "audience-differs", Who: AuthServer, Spec: "RFC 8707 2, RFC 9068 3",
			Text: "The token is for another audience than the MCP server.",
			A:    Side{"the MCP server is", want, j.prm.n}, B: Side{"aud of the token", strings.Join(all, " "), g.n},
			Fix: "Make the authorization server put the “resource” of the request into aud.",
		})
	}
	if iss := unquote(g.claim("iss")); iss != "" && j.asm.issuer != "" && iss != j.asm.issuer {
		j.fail(Check{
			ID: "token-issuer-differs", Who: AuthServer, Spec: "RFC 9068 4",
			Text: "The token says that another server issued it.",
			A:    Side{"issuer in the metadata", j.asm.issuer, j.asm.n}, B: Side{"iss of the token", iss, g.n},
			Fix: "Make iss the issuer of the metadata.",
		})
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
func (j *judge) schemeOf(r *refusal) string {
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
	if slices.ContainsFunc(j.requests, func(r *tokenRequest) bool { return r.kind == Token && r.err == wantsNonce }) {
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
	j.fail(Check{
		ID: "dpop-nonce-unused", Rule: "credential-refused", Who: Client, Spec: "RFC 9449 9",
		Text: "The server asks for a nonce in the proof (DPoP), and the client did not send the request again with it.",
		A:    Side{"DPoP-Nonce of the 401", wantsNonce, p.respN}, B: Side{"a request after it", "", p.n},
		Fix: "After use_dpop_nonce make a proof with the nonce of the DPoP-Nonce header, and send the request again.",
	})
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
	if a.respN == 0 || j.asm.token == "" || hostOf(j.asm.token) != a.host {
		return
	}
	j.fail(Check{
		ID: "token-not-requested", Rule: "token-not-requested", Who: Client, Spec: "RFC 6749 4.1.3",
		Text: "The code came back to the client, and the client asked for no token with it.",
		A:    Side{"the redirect brought a code", "", p.n}, B: Side{"requests to " + j.asm.token, "none", 0}, Frames: []uint64{a.n},
		Fix: "See what the client's callback says in the browser and in its log: it may have refused state or iss, or nobody listened at the redirect URI.",
	})
}
