package oauth

import (
	"slices"
	"strings"

	"midwire/session/words"
)

// The steps of the login: from a client_id to a token.

func (j *judge) registration() {
	j.step.To = AuthServer
	r, id := &j.reg, j.clientID()
	j.link("client_id", id)
	j.link("redirect_uri", strings.Join(r.redirects, " "))
	switch {
	case r.known:
		j.say(Skipped, "known from "+frame(r.n))
	case r.n != 0 && r.status/100 == 2 && r.clientID != "" && r.unfit != "" && !j.has(Authorize) && !j.has(Token):
		j.say(Failed, "not usable")
		j.fail(check("registration-invalid", val{}, val{r.unfit, r.n}, "n", number(r.n), "unfit", r.unfit))
	case r.n != 0 && r.status/100 == 2 && r.clientID != "":
		j.say(Done, "registered")
	case r.n != 0:
		j.refusedRegistration()
	case isDocument(id):
		j.say(Skipped, "client ID metadata document")
		if j.asm.n != 0 && !j.asm.takesDocuments {
			j.fail(check("client-document-not-supported", val{id, 0}, val{"", j.asm.n}))
		}
	case id != "":
		j.say(Skipped, "the client_id was known before")
	case j.asm.issuer != "" && j.asm.register == "" && !j.asm.takesDocuments && j.asm.isOwn() && j.gaveUp():
		j.say(Failed, "not offered")
		j.fail(check("registration-not-offered", val{"", j.challenge.n}, val{"", j.asm.n}), j.asm.reqN)
	default:
		j.say(NotSeen, "no client_id seen")
	}
}

func isDocument(id string) bool {
	u := words.ParseURL(id)
	return u != nil && u.Scheme == "https" && len(u.Path) > 1
}

func (j *judge) refusedRegistration() {
	r, a := &j.reg, j.last(Registration)
	j.say(Failed, refusalText(r.status, r.err, r.described))
	c := check("registration-refused", val{strings.Join(r.redirects, " "), a.n}, val{})
	said := words.Fold(r.err + " " + r.described)
	if words.Holds(said, "scope") {
		if j.scopeRefused(&c, a, r.described) {
			c.as("registration-refused listed", "n", number(c.A.N), "scopes", c.A.Value)
			c.Frames = append(c.Frames, c.A.N)
		}
		c.as("registration-refused scope")
		c.compare(a.scope, a.n)
	}
	if j.asm.register == "" {
		c.as("registration-refused not offered")
		c.compare("", j.asm.n)
	} else if words.Holds(said, "not support", "not_support", "not allowed", "disabled") {
		c.as("registration-refused disabled")
		c.compare(j.asm.register, j.asm.n)
	}
	j.stepFailed(&c, a, "registration", j.asm.register, r.err)
}

// stepFailed reports a request that the authorization server refused, unless its error is
// a part of the way. Where nothing shows that it is one, nothing is said.
func (j *judge) stepFailed(c *Check, a *exchange, step, named, err string) {
	switch err {
	case "authorization_pending", "slow_down", "use_dpop_nonce":
		return
	}
	if err == "" && j.asm.register == "" && j.asm.token == "" {
		return
	}
	more, missing := c.Text, a.status == 404 || a.status == 405
	c.as("step-refused", "step", step, "what", a.what, "response", strings.TrimSuffix(j.step.Text, "."))
	c.Now, c.Text, c.B = c.ID != "refresh-refused" || err != "invalid_grant", c.Text+more, Side{c.B.What, j.step.Text, a.respN}
	if missing || a.status >= 500 {
		c.as("step-refused down")
	}
	switch {
	case named == "" || !missing:
	case strings.HasPrefix(pathOf(named), "//"):
		c.as("step-refused slashes")
	case pathOf(named) != pathOf(a.url):
		c.as("step-refused guessed")
		c.compare(named, j.asm.n)
	}
	j.fail(*c, a.respN, a.n)
}

func (j *judge) authorize() {
	j.step.From, j.step.To = Browser, AuthServer
	if len(j.authz) == 0 {
		j.inferred("the browser is not in this recording")
		return
	}
	a := j.asksFirst()
	j.say(Done, a.asks())
	j.link("client_id", a.clientID)
	j.link("redirect_uri", a.redirect)
	j.link("scope", a.scope)
	j.link("resource", a.resource)
	j.link("code_challenge_method", a.method)
	j.redirectCheck(a)
	j.resourceParameter(a)
	if !a.challenged || a.method != "S256" {
		j.fail(check("pkce-not-used", val{a.method, a.n}, val{}))
	}
	if lacks := strings.Join(MissingScopes(j.challenge.scope, a.scope), " "); lacks != "" && !j.isAfterStepUp(a.n) {
		j.fail(check("scope-differs", val{j.challenge.scope, j.challenge.n}, val{a.scope, a.n}))
	}
	if a.status >= 400 && (j.asm.n != 0 || a.status != 404 && a.status != 405) { // else the place was guessed
		j.step.Text = refusalText(a.status, a.err, a.described)
		c := check("authorization-refused", val{a.redirect, a.n}, val{status(a.status), a.respN}, "what", a.what, "response", j.step.Text)
		j.refusedFor(c, a, a.err, a.described)
	}
}

// refusedFor says what of a request for authorization was refused, and what to do.
func (j *judge) refusedFor(c Check, a *exchange, name, why string) {
	switch name {
	case "login_required", "interaction_required", "consent_required":
		return // it was asked whether it would do without people
	}
	had := strings.Join(j.reg.redirects, " ")
	about := words.Holds(words.Fold(why+" "+name), "redirect")
	switch {
	case name == "access_denied":
		c.as("authorization-refused user")
	case a.resource != "" && (name == "invalid_target" || strings.Contains(why, "AADSTS9010010") || strings.Contains(why, "AADSTS650053")):
		c.as("authorization-refused resource")
		c.compare(a.resource, a.n)
	case words.Holds(words.Fold(why+" "+name), "scope"):
		if !j.scopeRefused(&c, a, why) {
			c.as("authorization-refused scope")
			c.compare(a.scope, a.n)
		}
	case a.redirect != "" && had != "" && !slices.Contains(j.reg.redirects, a.redirect) && about:
		c.as("authorization-refused another redirect")
		c.B.Value, c.B.N = had, j.reg.n
	case name != "" && !about:
	case slices.Contains(j.reg.redirects, a.redirect) && a.redirect != "":
		c.as("authorization-refused registered redirect")
		c.Frames = append(c.Frames, j.reg.n)
	case had == "":
		c.as("authorization-refused old client", "client", a.clientID)
	}
	j.fail(c, a.respN, a.n)
}

// scopeRefused compares the scopes of a request that was refused in these words with those
// that the metadata list, and says whether that shows who is wrong.
func (j *judge) scopeRefused(c *Check, a *exchange, why string) bool {
	from, listed := j.asm.n, j.asm.scopes
	if len(j.prm.scopes) > 0 {
		from, listed = j.prm.n, j.prm.scopes
	}
	other := MissingScopes(a.scope, strings.Join(slices.Concat(j.prm.scopes, j.asm.scopes), " "))
	blamed := func(s string) bool { return strings.Contains(why, s) }
	if slices.ContainsFunc(strings.Fields(a.scope), blamed) && !slices.ContainsFunc(other, blamed) {
		return false // for one that is listed
	}
	switch {
	case a.n == 0:
		return false
	case a.scope == "" && a.kind == Authorize && j.prm.n != 0 && len(j.prm.scopes) == 0 && j.challenge.scope == "":
		c.as("scope-refused none named")
		c.compare("", j.prm.n)
	case len(listed) == 0 || len(listed) >= maxList || a.scope != "" && len(other) == 0:
		return false
	default:
		c.as("scope-refused not listed")
		c.compare(strings.Join(listed, " "), from)
	}
	c.B.Value, c.B.N = a.scope, a.n
	return true
}

// asks names what an authorization request has that makes it safe.
func (p *exchange) asks() string {
	var has []string
	for _, one := range []struct {
		name string
		yes  bool
	}{{p.method, p.challenged}, {"state", p.state != ""}, {"resource", p.resource != ""}} {
		if one.yes && one.name != "" {
			has = append(has, one.name)
		}
	}
	if len(has) == 0 {
		return status(p.status)
	}
	return "with " + strings.Join(has, ", ")
}

// asksFirst is the authorization request of the login: what was requested more
// scopes comes after it.
func (j *judge) asksFirst() *exchange {
	for _, a := range slices.Backward(j.authz) {
		if !j.isAfterStepUp(a.n) {
			return a
		}
	}
	return latest(j.authz)
}

// isAfterStepUp reports whether a frame came after a demand for more scopes.
func (j *judge) isAfterStepUp(n uint64) bool {
	list := j.attempts[StepUp].list
	return len(list) > 0 && n > list[0].n
}

// inferred says of a step in the browser what the token request lets know.
func (j *judge) inferred(why string) {
	j.say(NotSeen, why)
	for _, r := range j.requests {
		if r.code {
			j.step.Text = why + "; " + frame(r.n) + " has its code"
			return
		}
	}
}

// redirectCheck compares where to go back to with what was registered. The port
// of a loopback address is free (RFC 8252 7.3).
func (j *judge) redirectCheck(a *exchange) {
	list := j.reg.redirects
	same := slices.ContainsFunc(list, func(r string) bool { return sameRedirect(r, a.redirect) })
	if len(list) > 0 && a.redirect != "" && j.reg.clientID == a.clientID && !same {
		j.fail(check("redirect-uri-differs", val{strings.Join(list, " "), j.reg.n}, val{a.redirect, a.n}))
	}
}

func sameRedirect(a, b string) bool {
	u, v := words.ParseURL(a), words.ParseURL(b)
	if a == b || u == nil || v == nil {
		return a == b
	}
	u.Host, v.Host = u.Hostname(), v.Hostname()
	return words.IsLoopback(u.Host) && *u == *v
}

// resourceParameter compares the resource that a request names with that of the request
// for authorization, or of the metadata. Whether there has to be one is known only with
// metadata; a slash at its end stops only some authorization servers.
func (j *judge) resourceParameter(a *exchange) {
	want, n, t, where := j.prm.resource, j.prm.n, j.prm.t, "resource in the metadata"
	if a.resource == "" {
		if code := a.kind == Authorize && a.clientID != "" || a.grant == "authorization_code"; j.prm.n != 0 && code {
			j.fail(check("resource-parameter-missing", val{want, 0}, val{"", a.n}, "what", a.what))
		}
		return
	}
	first := latest(j.authz)
	if a.kind != Authorize && first.resource != "" {
		want, t, where = first.resource, first.t, "resource in the request for authorization"
	}
	slash := strings.TrimSuffix(want, "/") == strings.TrimSuffix(a.resource, "/")
	if want == "" || want == a.resource || a.t-t > 600e9 || slash && (j.back == nil || j.back.err != "invalid_target") ||
		a.throughUs(want) || a.throughUs(a.resource) {
		return
	}
	if a.kind != Authorize && len(j.authz) > 0 {
		n = first.n
	}
	j.fail(check("resource-parameter-differs", val{want, n}, val{a.resource, a.n}, "what", a.what, "where", where))
}

// throughUs reports whether a resource is the server behind midwire under its own address,
// which the client does not use.
func (p *exchange) throughUs(resource string) bool {
	host := hostOf(resource)
	return host != "" && host != hostOf("https://"+p.host) && p.isUpstream(host)
}

func (j *judge) redirect() {
	j.step.From, j.step.To = Browser, Client
	p := j.back
	if p == nil {
		j.inferred("the browser is not in this recording")
		return
	}
	j.say(Done, "with a code")
	j.codeUnused()
	j.link("state", p.state)
	j.link("iss", p.iss)
	asked := latest(j.authz)
	if p.err != "" {
		j.step.Text = refusalText(0, p.err, p.described)
		wants := "scope " + quoted(asked.scope) + " resource " + quoted(asked.resource)
		c := check("authorization-denied", val{wants, asked.n}, val{p.err, p.n}, "what", asked.what, "response", j.step.Text)
		j.refusedFor(c, asked, p.err, p.described)
		j.step.State = Failed
	}
	if asked.n != 0 && asked.state != p.state {
		j.fail(check("state-differs", val{asked.state, asked.n}, val{p.state, p.n}))
	}
	if s := &j.asm; s.n != 0 && (p.iss != "" || s.sendsIss) && p.iss != s.issuer {
		j.fail(check("iss-differs", val{s.issuer, s.n}, val{p.iss, p.n}))
	}
}
