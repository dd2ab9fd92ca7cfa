package oauth

import "strings"

// DPoP (RFC 9449; SEP-1932): a token that only who has a key may use. A server that wants
// a nonce in the proof refuses the first request with it, and the client asks again.

const (
	dpopScheme = "DPoP"
	wantsNonce = "use_dpop_nonce"
)

// asksNonce says whether a refusal of an MCP server does no more than ask for a nonce.
func (p *exchange) asksNonce() bool {
	return p.status == 401 && ChallengeParam(p.challenge, "error") == wantsNonce
}

// isTokenType says whether tokens of a type can be used with MCP.
func isTokenType(kind string) bool {
	return strings.EqualFold(kind, "Bearer") || strings.EqualFold(kind, dpopScheme)
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

// nonceAsked takes a request that was refused for a nonce.
func (f *flow) nonceAsked(p *exchange) {
	f.attempts[Use].add(p)
	f.nonce, f.lastAsk = p, p
}

// afterNonce says that the token endpoint asked for a nonce first, "" where it did not.
func (j *judge) afterNonce() string {
	for _, r := range j.requests {
		if r.kind == Token && r.err == wantsNonce {
			return ", after a nonce of DPoP"
		}
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
	a := j.authz[len(j.authz)-1]
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
