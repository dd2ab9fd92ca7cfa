package oauth

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session/wire"
)

// The steps after the login: requests with the token, and what renews it.

func (j *judge) use() {
	u := j.lastUse
	switch {
	case j.dropped != nil && (u == nil || u.n < j.dropped.n):
		j.say(Failed, "redirected, and sent without the token")
		j.exchange(Use, j.dropped)
		j.fail(Check{
			ID: "token-lost-on-redirect", Rule: "credential-refused", Who: MCPServer, Spec: "RFC 9110 15.4",
			Text: "The server redirected a request with a token, and the request to where it leads has none: many clients drop Authorization on a redirect, most when it leads to another origin, such as http instead of https.",
			A:    Side{"redirect to", j.moved.location, j.moved.respN}, B: Side{"Authorization of the next request", "", j.dropped.n},
			Fix: "Serve MCP at the URL that clients use, slash and all, and do not redirect. Or give clients the URL that the redirect leads to.", Frames: []uint64{j.dropped.respN},
		})
		return
	case u == nil && j.unsent != nil:
		j.say(Failed, "no Authorization header")
		j.exchange(Use, j.unsent)
		j.fail(Check{
			ID: "token-not-sent", Rule: "credential-refused", Who: Client, Spec: "MCP authorization: Token Requirements",
			Text: "The client got a token and does not send it.",
			A:    Side{"access_token issued", j.grants[0].access, j.grants[0].n}, B: Side{"Authorization", "", j.unsent.n},
			Fix: "Send Authorization: Bearer with every request to the MCP server.",
		})
		return
	case u == nil:
		j.say(NotSeen, "no request with a token")
		j.nonceOfUse()
		return
	}
	j.link("access_token", u.token)
	j.say(Done, requests(j.accepted)+" accepted")
	if u.inQuery {
		j.fail(tokenInQuery(u.token, u.n))
	}
	r := j.unresolved()
	if j.nonceOfUse(); r == nil {
		return
	}
	j.say(Failed, refusalText(r.status, r.why, r.described))
	switch {
	case slices.ContainsFunc(j.requests, func(t *tokenRequest) bool { return t.kind == Refresh && t.n > r.n }):
		j.say(Done, j.step.Text+", then a refresh")
	case slices.ContainsFunc(j.requests, func(t *tokenRequest) bool { return t.kind == Refresh && t.grant == nil }):
		j.step.Text += ", as step 9 explains"
	case slices.ContainsFunc(j.out.Checks, func(c Check) bool { return c.ID == "audience-differs" }):
		j.step.Text += ", as step 7 explains"
	case r.status == 401 && slices.ContainsFunc(j.out.Checks, isForAnother):
		j.step.Text += ", as step 2 explains"
	default:
		j.fail(j.whyRefused(r))
	}
}

// isForAnother reports whether a check found that the metadata, and so the token, are
// for another server.
func isForAnother(c Check) bool { return c.ID == "resource-differs" && c.Who != Midwire }

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.Itoa(n) + " requests"
}

// unresolved is the refusal after which no request was accepted, nil for none,
// or when the server asks for more scopes.
func (j *judge) unresolved() *refusal {
	if !j.lastRefused() || j.refusals[len(j.refusals)-1].isScope() {
		return nil
	}
	return j.refusals[len(j.refusals)-1]
}

// whyRefused compares a token that was refused with what is known of it.
func (j *judge) whyRefused(r *refusal) Check {
	c := Check{
		ID: "token-not-accepted", Rule: "credential-refused", Who: Client, Spec: "RFC 6750 3.1",
		Text: "The MCP server refuses the token.",
		A:    Side{"token of the request", r.token, r.n}, B: Side{"the response", refusalText(r.status, r.why, r.described), r.respN},
		Fix: "Get a token that this server takes: its log says whether signature, audience, issuer or time are wrong.",
	}
	if want := j.schemeOf(r); r.status == 401 && !strings.EqualFold(r.scheme, want) {
		c.ID, c.Who = "scheme-differs", Client
		c.Text = "The token is not sent as a bearer token."
		c.A, c.B = Side{"scheme of the request", r.scheme, r.n}, Side{"expected", want, 0}
		c.Fix = "Send Authorization: " + want + " TOKEN."
		return c
	}
	g := j.grantOf(r.token)
	switch {
	case g == nil && len(j.grants) > 0 && saysWhich(r.token):
		last := latest(j.grants)
		c.ID, c.Who = "token-differs", Client
		c.Text = "The client does not send the token that was issued."
		c.A, c.B = Side{"access_token issued", last.access, last.n}, Side{"token of the request", r.token, r.n}
		c.Fix = "Remove the token from the client's configuration, or its store of tokens."
	case g == nil:
	case r.token != g.access:
		c.ID, c.Who = "wrong-token", Client
		c.Text = "The client sends a token that is not the access token."
		c.A = Side{"access_token issued", g.access, g.n}
		c.B = Side{map[bool]string{true: "id_token", false: "refresh_token"}[r.token == g.id] + " in the request", r.token, r.n}
		c.Fix = "Send the access_token."
	default:
		j.whyExpired(&c, r, g)
	}
	return c
}

// whyExpired says when the token of a request had expired, if it had.
func (j *judge) whyExpired(c *Check, r *refusal, g *grant) {
	until, how := j.expiry(g)
	if until == 0 || r.t < until {
		return
	}
	c.ID, c.Who = "token-expired", Client
	c.Text = "The token had expired."
	c.A, c.B = Side{how, j.clock(until), g.n}, Side{"used at", j.clock(r.t), r.n}
	c.Fix = "Renew the token before it expires, or on the 401."
	if g.refresh == "" {
		c.Fix = "Ask for a refresh token (scope offline_access), or let the authorization server issue one; else log in again."
	}
}

// grantOf is where a token was issued, nil when that was not seen.
func (f *flow) grantOf(token string) *grant {
	for _, g := range slices.Backward(f.grants) {
		if saysWhich(token) && (token == g.access || token == g.refresh || token == g.id) {
			return g
		}
	}
	return nil
}

// expiry is when a token ends, in nanoseconds since the recording started, and
// what says so; 0 when nothing does.
func (j *judge) expiry(g *grant) (until int64, how string) {
	if exp := g.expiry(); exp > 0 && j.started > 0 && exp < 1<<33 {
		return max(exp*1e9-j.started, 1), "exp of the token"
	}
	if g.expires > 0 && g.expires < 1<<32 {
		return g.t + g.expires*1e9, "expires_in " + strconv.FormatInt(g.expires, 10) + " s, until"
	}
	return 0, ""
}

// clock writes a time of the recording: the time of day in UTC, or since the
// start.
func (j *judge) clock(t int64) string {
	if j.started > 0 {
		return time.Unix(0, j.started+t).UTC().Format("2006-01-02 15:04:05.000Z")
	}
	return "+" + time.Duration(t).Round(time.Millisecond).String()
}

func (j *judge) refreshed() {
	j.step.To = AuthServer
	all := slices.DeleteFunc(slices.Clone(j.requests), func(r *tokenRequest) bool { return r.kind != Refresh })
	if len(all) == 0 {
		j.noRefresh()
		return
	}
	last := all[len(all)-1]
	j.say(Done, requests(len(all)))
	j.link("refresh_token", last.refresh)
	if last.grant != nil {
		j.link("access_token", last.grant.access)
	} else {
		j.say(Failed, refusalText(last.status, last.err, last.described))
	}
	if j.reused(all) || last.grant != nil || last.err == "invalid_grant" && j.logsInAgain(last) {
		return
	}
	c := Check{
		ID: "refresh-refused", Who: Client, Spec: "RFC 6749 5.2",
		A:   Side{"refresh_token", last.refresh, last.n},
		Fix: "The refresh token is spent, revoked or of another client: log in again.",
	}
	j.stepFailed(&c, last.exchange, "token", j.asm.token, last.err)
}

// logsInAgain reports whether a client got on after its refresh token was refused, which
// may have expired.
func (j *judge) logsInAgain(refresh *tokenRequest) bool {
	got, _ := j.book.Granted()
	return j.unresolved() == nil || got.Response > refresh.n || j.last(Authorize).n > refresh.n
}

// reused finds a refresh token that was refused when it was used again.
func (j *judge) reused(all []*tokenRequest) bool {
	for i, again := range all {
		for _, first := range all[:i] {
			if !saysWhich(again.refresh) || again.refresh != first.refresh || again.err != "invalid_grant" {
				continue
			}
			c := Check{
				ID: "refresh-token-reused", Rule: "refresh-token-reused", Who: Client, Spec: "OAuth 2.1 4.3.1", Now: true,
				Text: "A refresh token was used twice, and refused with “invalid_grant” the second time. ",
				A:    Side{"refresh_token, first", first.refresh, first.n}, B: Side{"refresh_token, again", again.refresh, again.respN},
				Fix: "Refresh once at a time, across all processes of the client, and keep the new refresh token. The authorization server can allow the old one for some seconds.",
			}
			switch c.Frames = []uint64{again.n}; {
			case first.grant == nil:
				c.Doubt = Possible
				c.Text += "The first use brought no tokens that were seen."
			case first.grant.n < again.n:
				c.Frames = append(c.Frames, first.grant.n)
				c.Text += "The first use had got new tokens, which were not kept."
			default:
				c.Frames = append(c.Frames, first.grant.n)
				c.Text += "The first use was under way and got new tokens: two refreshes ran at the same time."
			}
			j.fail(c)
			return true
		}
	}
	return false
}

func (j *judge) noRefresh() {
	r := j.unresolved()
	if r == nil {
		j.say(Skipped, "not needed")
		if j.lastUse == nil {
			j.say(NotSeen, "")
		}
		return
	}
	g := j.grantOf(r.token)
	if g == nil || g.refresh != "" {
		j.say(NotSeen, "the client did not refresh")
		return
	}
	j.say(NotSeen, "no refresh token was issued")
	if until, how := j.expiry(g); until != 0 && r.t >= until {
		j.fail(Check{
			ID: "refresh-token-missing", Rule: "refresh-token-missing", Who: AuthServer, Now: true, Spec: "MCP authorization: Refresh Tokens",
			Text: "The token expired, and there is no refresh token to renew it with.",
			A:    Side{how, j.clock(until), g.n}, B: Side{"refresh_token", "", r.respN}, Frames: []uint64{r.n},
			Fix: "Let the authorization server issue refresh tokens to this client; the client may have to ask for offline_access.",
		})
	}
}

func (j *judge) stepUp() {
	i := slices.IndexFunc(j.refusals, (*refusal).isScope)
	if i < 0 {
		j.say(Skipped, "not needed")
		if j.lastUse == nil {
			j.say(NotSeen, "")
		}
		return
	}
	j.link("scope", j.refusals[i].scope)
	j.say(Done, "granted")
	at := len(j.refusals) - 1
	for !j.refusals[at].isScope() {
		at--
	}
	last := j.refusals[at]
	if j.lastUse.n > last.n && j.lastUse.token != last.token || last.scope == "" && j.lastUse.n > last.n {
		return // another token was accepted, or refused for something else
	}
	j.step.Text = refusalText(last.status, last.why, last.described)
	c := Check{
		ID: "scope-insufficient", Rule: "scope-insufficient", Who: Client, Spec: "MCP authorization: Step-Up Authorization Flow",
		Text: "The token lacks the scope " + quoted(last.scope),
		A:    Side{"the server wants", last.scope, last.respN}, B: Side{"the token has", "", last.n},
		Fix: "Log in again with the scopes that were granted and those that are missing.",
	}
	if last.scope == "" {
		c.Who, c.Rule, c.Text = MCPServer, "", "The token lacks a scope, and the 403 does not say which."
		c.Fix = "Name the scope in WWW-Authenticate of the 403."
		j.fail(c)
		return
	}
	if j.scopeStory(&c, last, at) {
		j.fail(c)
	}
}

// scopeStory says what the client did about a scope that its token lacks. It returns false
// as long as it may still do what is right.
func (j *judge) scopeStory(c *Check, last *refusal, at int) bool {
	var before *refusal
	tries := 0
	for _, r := range j.refusals[:at+1] {
		switch {
		case r.scope != last.scope || !r.isScope():
		case r.token == last.token && saysWhich(r.token):
			tries++
			c.Frames = append(c.Frames, r.respN, r.n)
		default:
			before = r
		}
	}
	var got *tokenRequest
	for _, r := range j.requests {
		if r.grant != nil {
			got = r
		}
	}
	if g := j.grantOf(last.token); g != nil {
		c.B = Side{"the token has", g.scopes(), g.n}
	}
	asked := latest(j.authz)
	switch {
	case before != nil && got != nil && got.n > before.n && got.kind == Refresh:
		c.Frames = append(c.Frames, got.respN, got.n, before.respN)
		c.Text += ". That was so before, and the client refreshed its token in between"
		c.Cause = "A refresh brings a token with the scopes that were granted before, never more. The client holds a refresh token and uses that in place of a new authorization."
		c.Fix = "After insufficient_scope begin a new authorization that asks for the scopes of the challenge, so that the user can agree; do not refresh."
	case tries > 1:
		c.ID = "scope-retry"
		c.Text += ". It was sent " + strconv.Itoa(tries) + " times with the same token"
	}
	switch {
	case got != nil && got.grant.scope != "" && len(MissingScopes(last.scope, got.grant.scope)) == 0:
		c.Who = MCPServer
		c.Text += ", and the token was issued with " + quoted(got.grant.scope)
		c.Cause = "The server looks for the scope in another place or by another name than the authorization server writes it, or the client still uses an older token."
		c.Fix = "Compare the claims of the token (scope, scp, roles) with what is checked. In the client: use the latest token."
	case asked.scope != "" && len(MissingScopes(last.scope, asked.scope)) == 0:
		c.Who = AuthServer
		c.Text += ", and the client had asked for " + quoted(asked.scope)
		c.Cause = "The authorization server did not grant what was asked for: the user did not agree, or the client or the user may not have it."
		c.Fix = "Allow the scope for this client and this user, and agree to it when asked."
	case tries == 1 && before == nil:
		again := j.lastUse.n > last.n || asked.n > last.n || got != nil && got.n > last.n || j.heard > last.respT
		if again || j.until-last.respT < 1e9 {
			return false // the client may be about to ask for more, or does without
		}
		c.Weight, c.Doubt = Warned, Possible
		c.Text += ". The client sent nothing after that: it asked for no more scope"
	case asked.scope != "":
		c.Text += "; the client had asked for " + quoted(asked.scope)
	}
	c.Text += "."
	if j.lastUse.n > last.n {
		c.Weight = Warned
	}
	return true
}

// scopes are those of a token, by the response or by the token itself.
func (g *grant) scopes() string {
	return cmp.Or(g.scope, unquote(g.claim("scope")), unquote(g.claim("scp")))
}

// unquote is the text of a JSON string, "" for anything else.
func unquote(raw string) string { return wire.Said([]byte(raw)) }
