package oauth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
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
	case r.err == "invalid_grant":
		c.Fix = "The code is spent, too old, or of another redirect_uri or code_verifier: log in again."
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
	want := j.prm.resource
	if want == "" {
		want = j.url
	}
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
