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
		j.fail(check("token-lost-on-redirect", val{j.moved.location, j.moved.respN}, val{"", j.dropped.n}), j.dropped.respN)
		return
	case u == nil && j.unsent != nil:
		j.say(Failed, "no Authorization header")
		j.exchange(Use, j.unsent)
		j.fail(check("token-not-sent", val{j.grants[0].access, j.grants[0].n}, val{"", j.unsent.n}))
		return
	case u == nil:
		j.say(NotSeen, "no request with a token")
		j.nonceOfUse()
		return
	}
	j.link("access_token", u.token)
	j.say(Done, requests(j.accepted)+" accepted")
	if u.inQuery {
		j.fail(check("token-in-query", val{u.token, u.n}, val{"", u.n}))
	}
	r := j.unresolved()
	if j.nonceOfUse(); r == nil {
		return
	}
	j.say(Failed, refusalText(r.status, r.err, r.described))
	switch {
	case slices.ContainsFunc(j.requests, func(t *exchange) bool { return t.kind == Refresh && t.n > r.n }):
		j.say(Done, j.step.Text+", then a refresh")
	case slices.ContainsFunc(j.requests, func(t *exchange) bool { return t.kind == Refresh && t.issued == nil }):
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
func (j *judge) unresolved() *exchange {
	if !j.lastRefused() || j.refusals[len(j.refusals)-1].isScope() {
		return nil
	}
	return j.refusals[len(j.refusals)-1]
}

// whyRefused compares a token that was refused with what is known of it.
func (j *judge) whyRefused(r *exchange) Check {
	c := check("token-not-accepted", val{r.token, r.n}, val{refusalText(r.status, r.err, r.described), r.respN})
	if want := j.schemeOf(r); r.status == 401 && !strings.EqualFold(r.scheme, want) {
		c.as("token-not-accepted scheme", "scheme", want)
		c.A.Value, c.B.Value, c.B.N = r.scheme, want, 0
		return c
	}
	g := j.grantOf(r.token)
	switch {
	case g == nil && len(j.grants) > 0 && saysWhich(r.token):
		last := latest(j.grants)
		c.as("token-not-accepted other")
		c.A, c.B = Side{c.A.What, last.access, last.n}, Side{c.B.What, r.token, r.n}
	case g == nil:
	case r.token != g.access:
		c.as("token-not-accepted kind", "kind", map[bool]string{true: "id_token", false: "refresh_token"}[r.token == g.id])
		c.A, c.B = Side{c.A.What, g.access, g.n}, Side{c.B.What, r.token, r.n}
	default:
		j.whyExpired(&c, r, g)
	}
	return c
}

// whyExpired says when the token of a request had expired, if it had.
func (j *judge) whyExpired(c *Check, r *exchange, g *grant) {
	until, how := j.expiry(g)
	if until == 0 || r.t < until {
		return
	}
	c.as("token-not-accepted expired", "how", how)
	c.A, c.B = Side{c.A.What, j.clock(until), g.n}, Side{c.B.What, j.clock(r.t), r.n}
	if g.refresh == "" {
		c.as("token-not-accepted expired for good")
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
	all := slices.DeleteFunc(slices.Clone(j.requests), func(r *exchange) bool { return r.kind != Refresh })
	if len(all) == 0 {
		j.noRefresh()
		return
	}
	last := all[len(all)-1]
	j.say(Done, requests(len(all)))
	j.link("refresh_token", last.refresh)
	if last.issued != nil {
		j.link("access_token", last.issued.access)
	} else {
		j.say(Failed, refusalText(last.status, last.err, last.described))
	}
	if j.reused(all) || last.issued != nil || last.err == "invalid_grant" && j.logsInAgain(last) {
		return
	}
	c := check("refresh-refused", val{last.refresh, last.n}, val{})
	j.stepFailed(&c, last, "token", j.asm.token, last.err)
}

// logsInAgain reports whether a client got on after its refresh token was refused, which
// may have expired.
func (j *judge) logsInAgain(refresh *exchange) bool {
	got, _ := j.book.Granted()
	return j.unresolved() == nil || got.Response > refresh.n || j.last(Authorize).n > refresh.n
}

// reused finds a refresh token that was refused when it was used again.
func (j *judge) reused(all []*exchange) bool {
	for i, again := range all {
		for _, first := range all[:i] {
			if !saysWhich(again.refresh) || again.refresh != first.refresh || again.err != "invalid_grant" {
				continue
			}
			c := check("refresh-token-reused", val{first.refresh, first.n}, val{again.refresh, again.respN})
			switch c.Frames = []uint64{again.n}; {
			case first.issued == nil:
				c.as("refresh-token-reused unseen")
			case first.issued.n < again.n:
				c.as("refresh-token-reused lost")
			default:
				c.as("refresh-token-reused race")
			}
			if first.issued != nil {
				c.Frames = append(c.Frames, first.issued.n)
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
		j.fail(check("refresh-token-missing", val{j.clock(until), g.n}, val{"", r.respN}, "how", how), r.n)
	}
}

func (j *judge) stepUp() {
	i := slices.IndexFunc(j.refusals, (*exchange).isScope)
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
	j.step.Text = refusalText(last.status, last.err, last.described)
	c := check("scope-insufficient", val{last.scope, last.respN}, val{"", last.n}, "scope", last.scope)
	if last.scope == "" {
		c.as("scope-insufficient unnamed")
		j.fail(c)
	} else if j.scopeStory(&c, last, at) {
		j.fail(c)
	}
}

// scopeStory says what the client did about a scope that its token lacks. It returns false
// as long as it may still do what is right.
func (j *judge) scopeStory(c *Check, last *exchange, at int) bool {
	var before *exchange
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
	var got *exchange
	for _, r := range j.requests {
		if r.issued != nil {
			got = r
		}
	}
	if g := j.grantOf(last.token); g != nil {
		c.B = Side{c.B.What, g.scopes(), g.n}
	}
	asked := latest(j.authz)
	switch {
	case before != nil && got != nil && got.n > before.n && got.kind == Refresh:
		c.Frames = append(c.Frames, got.respN, got.n, before.respN)
		c.as("scope-insufficient refreshed")
	case tries > 1:
		c.as("scope-insufficient retried", "times", strconv.Itoa(tries))
	}
	switch {
	case got != nil && got.issued.scope != "" && len(MissingScopes(last.scope, got.issued.scope)) == 0:
		c.as("scope-insufficient granted", "scope", got.issued.scope)
	case asked.scope != "" && len(MissingScopes(last.scope, asked.scope)) == 0:
		c.as("scope-insufficient asked", "scope", asked.scope)
	case tries == 1 && before == nil:
		again := j.lastUse.n > last.n || asked.n > last.n || got != nil && got.n > last.n || j.heard > last.respT
		if again || j.until-last.respT < 1e9 {
			return false // the client may be about to ask for more, or does without
		}
		c.as("scope-insufficient silent")
	case asked.scope != "":
		c.as("scope-insufficient asked another", "scope", asked.scope)
	}
	c.Text += "."
	if j.lastUse.n > last.n {
		c.Weight = "warning"
	}
	return true
}

// scopes are those of a token, by the response or by the token itself.
func (g *grant) scopes() string {
	return cmp.Or(g.scope, unquote(g.claim("scope")), unquote(g.claim("scp")))
}

// unquote is the text of a JSON string, "" for anything else.
func unquote(raw string) string { return wire.Said([]byte(raw)) }
