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
		j.fail(Check{
			ID: "registration-invalid", Rule: "oauth-step-failed", Who: AuthServer, Doubt: Likely, Spec: "RFC 7591 3.2.1",
			Text: "In the response to the registration (" + frame(r.n) + ") " + r.unfit + ". The client went no further.",
			A:    Side{"expected", "a string, or no client_secret for a public client", 0}, B: Side{"the response", r.unfit, r.n},
			Cause: "The authorization server writes members that it has no value for as null. Clients check the response by its schema, and refuse it.",
			Fix:   "Leave out client_secret where there is none.",
		})
	case r.n != 0 && r.status/100 == 2 && r.clientID != "":
		j.say(Done, "registered")
	case r.n != 0:
		j.refusedRegistration()
	case isDocument(id):
		j.say(Skipped, "client ID metadata document")
		if j.asm.n != 0 && !j.asm.takesDocuments {
			j.fail(Check{
				ID: "client-document-not-supported", Who: Client, Spec: "draft-ietf-oauth-client-id-metadata-document",
				Text: "The client_id is the URL of a document, and the authorization server does not announce that it reads them.",
				A:    Side{"client_id", id, 0}, B: Side{"client_id_metadata_document_supported", "", j.asm.n},
				Fix: "Register the client at the authorization server, or use a client_id that it gave.",
			})
		}
	case id != "":
		j.say(Skipped, "the client_id was known before")
	case j.asm.issuer != "" && j.asm.register == "" && !j.asm.takesDocuments && j.asm.isOwn() && j.gaveUp():
		j.say(Failed, "not offered")
		j.fail(Check{
			ID: "registration-not-offered", Rule: "registration-not-offered", Who: Client, Spec: "RFC 7591 3",
			Text: "The metadata of the authorization server has no registration_endpoint and does not announce client ID metadata documents. The client has no client_id and went no further.",
			A:    Side{"the client's client_id", "", j.challenge.n}, B: Side{"registration_endpoint", "", j.asm.n}, Frames: []uint64{j.asm.reqN},
			Fix: "Register a client at the authorization server by hand, and put its client_id into the client's configuration.",
		})
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
	c := Check{
		ID: "registration-refused", Who: Client, Spec: "RFC 7591 3.2",
		A:   Side{"the client asked for redirect_uris", strings.Join(r.redirects, " "), a.n},
		Fix: "Register the client by hand and configure its client_id, or allow what it asks for.",
	}
	if words.Holds(words.Fold(r.err+" "+r.described), "scope") {
		if j.scopeRefused(&c, a, r.described) {
			c.Text = " The metadata (" + frame(c.A.N) + ") list " + c.A.Value + "."
			c.Frames = append(c.Frames, c.A.N)
		}
		c.A = Side{"the client asked for the scopes", a.scope, a.n}
	}
	if j.asm.register == "" {
		c.A = Side{"registration_endpoint in the metadata", "", j.asm.n}
		c.Fix = "Put a client_id of the authorization server into the client's configuration."
	}
	if j.asm.register != "" && words.Holds(words.Fold(r.err+" "+r.described), "not support", "not_support", "not allowed", "disabled") {
		c.Who, c.A = AuthServer, Side{"registration_endpoint in the metadata", j.asm.register, j.asm.n}
		c.Cause = "The metadata offers registration, and the server registers nobody: clients take the offer, and get no further."
		c.Fix = "Take registration_endpoint out of the metadata, or register clients. Until then, in the client: configure a client_id that was registered by hand."
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
	c.Rule, c.Now, c.B = "oauth-step-failed", c.ID != "refresh-refused" || err != "invalid_grant", Side{"the response", j.step.Text, a.respN}
	c.Frames = append(c.Frames, a.respN, a.n)
	c.Text = "The " + step + " request " + a.what + " was refused with " + strings.TrimSuffix(j.step.Text, ".") + "." + c.Text
	missing := a.status == 404 || a.status == 405
	if missing || a.status >= 500 {
		c.Who = AuthServer
	}
	if named != "" && strings.HasPrefix(pathOf(named), "//") && missing {
		c.Text += " Its path begins with two slashes, as the metadata says."
		c.Cause = "The endpoints of the metadata are made of a base URL that ends in a slash and of paths that begin with one; nothing is served at a path with two."
		c.Fix = "Take the slash off the end of the base URL that issuer and endpoints are made of."
	} else if named != "" && pathOf(named) != pathOf(a.url) && missing {
		c.Who, c.A = Client, Side{"the metadata names", named, j.asm.n}
		c.Text += " The metadata names another endpoint for this step."
		c.Cause = "The client does not use the endpoint of the metadata, and guesses a path instead."
		c.Fix = "Take registration_endpoint and token_endpoint from the metadata of the authorization server. Until then: register the client by hand and configure its client id."
	}
	j.fail(*c)
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
		j.fail(Check{
			ID: "pkce-not-used", Who: Client, Spec: "OAuth 2.1 4.1.1",
			Text: "The authorization request has no code challenge with S256.",
			A:    Side{"code_challenge_method", a.method, a.n}, B: Side{"expected", "S256", 0},
			Fix: "Send code_challenge and code_challenge_method=S256.",
		})
	}
	if lacks := strings.Join(MissingScopes(j.challenge.scope, a.scope), " "); lacks != "" && !j.isAfterStepUp(a.n) {
		j.fail(Check{
			ID: "scope-differs", Who: Client, Spec: "MCP authorization: Scope Selection Strategy",
			Text: "The client does not ask for the scopes that the server named.",
			A:    Side{"the 401 names", j.challenge.scope, j.challenge.n}, B: Side{"the client asks for", a.scope, a.n},
			Fix: "Ask for the scopes of the challenge first; scopes_supported is for when it names none.",
		})
	}
	if a.status >= 400 && (j.asm.n != 0 || a.status != 404 && a.status != 405) { // else the place was guessed
		j.step.Text = refusalText(a.status, a.err, a.described)
		j.refusedFor(Check{
			ID: "authorization-refused", Text: "The request " + a.what + " was refused with " + j.step.Text,
			A: Side{"asked with redirect_uri", a.redirect, a.n}, B: Side{"the response", status(a.status), a.respN},
		}, a, a.err, a.described)
	}
}

// refusedFor says what of a request for authorization was refused, and what to do.
func (j *judge) refusedFor(c Check, a *exchange, name, why string) {
	switch name {
	case "login_required", "interaction_required", "consent_required":
		return // it was asked whether it would do without people
	}
	c.Rule, c.Spec, c.Who, c.Doubt, c.Now = "authorization-refused", "RFC 6749 4.1.2.1", Client, Likely, true
	c.Fix = "See what the authorization server allows this client: its scopes, its resource, its users."
	had := strings.Join(j.reg.redirects, " ")
	about := words.Holds(words.Fold(why+" "+name), "redirect")
	switch {
	case name == "access_denied":
		c.Weight, c.Cause = Noted, "The user did not agree, or may not use this client."
		c.Fix = "Agree in the browser, or allow the user and the client at the authorization server."
	case a.resource != "" && (name == "invalid_target" || strings.Contains(why, "AADSTS9010010") || strings.Contains(why, "AADSTS650053")):
		c.Who, c.A = AuthServer, Side{"the request names the resource", a.resource, a.n}
		c.Cause = "The authorization server does not know the resource, or does not take it beside the scopes: Microsoft Entra wants the resource in the scopes."
		c.Fix = "Register the URL of the MCP server, in Entra as Application ID URI. Or use a client that can leave the parameter resource out."
	case words.Holds(words.Fold(why+" "+name), "scope"):
		if j.scopeRefused(&c, a, why) {
			break
		}
		c.Who, c.A = AuthServer, Side{"the request asks for the scopes", a.scope, a.n}
		c.Cause = "The client, or the user, may not have one of the scopes: often offline_access, which the server's metadata lists and the authorization server does not allow."
		c.Fix = "Allow the scopes for this client. In the MCP server: list in scopes_supported only what can be granted."
	case a.redirect != "" && had != "" && !slices.Contains(j.reg.redirects, a.redirect) && about:
		c.Doubt, c.B = Sure, Side{"the client had registered the redirect_uri", had, j.reg.n}
		c.Cause = "The client registers one redirect_uri and asks for authorization with another. They must be equal."
		c.Fix = "Register the redirect_uri that the requests for authorization name."
	case name != "" && !about:
	case slices.Contains(j.reg.redirects, a.redirect) && a.redirect != "":
		c.Who, c.A.What = AuthServer, "asked with the redirect_uri that the client had registered"
		c.Frames = append(c.Frames, j.reg.n)
		c.Cause = "The authorization server has registered the client with this redirect_uri, and refuses the request: it compares the redirect_uri wrongly (the port of a loopback address must not count), or has lost the registration."
		c.Fix = "Compare redirect_uri with what was registered, without the port for loopback addresses (RFC 8252 7.3), and keep registrations."
	case had == "":
		c.Doubt = Possible
		c.Cause = "The client uses a client_id from before, " + quoted(a.clientID) + ", which the authorization server does not know any more, or its redirect_uri is not registered."
		c.Fix = "Delete the stored registration, so that it registers again; see the page in the browser."
	}
	c.Text += "."
	c.Frames = append(c.Frames, a.respN, a.n)
	j.fail(c)
}

// scopeRefused compares the scopes of a request that was refused in these words with those
// that the metadata list, and says whether that shows who is wrong.
func (j *judge) scopeRefused(c *Check, a *exchange, why string) bool {
	asks := Side{"the request asks for the scopes", a.scope, a.n}
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
		c.Who, c.A, c.B = MCPServer, Side{"scopes_supported of the resource metadata", "", j.prm.n}, asks
		c.Cause = "Neither the 401 nor the metadata of the MCP server names a scope, so the client asks for none, as MCP says. The authorization server wants one."
		c.Fix = "List the scopes that clients need in scopes_supported of the resource metadata, or name them in WWW-Authenticate."
		return true
	case len(listed) == 0 || len(listed) >= maxList || a.scope != "" && len(other) == 0:
		return false
	}
	c.Who, c.A, c.B = Client, Side{"scopes_supported of the metadata", strings.Join(listed, " "), from}, asks
	c.Cause = "The client does not take its scopes from the metadata, which list others."
	c.Fix = "Ask for scopes that the metadata list: in its configuration, set them, or take out those of its own."
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
	if len(j.reg.redirects) == 0 || a.redirect == "" || j.reg.clientID != a.clientID {
		return
	}
	if slices.ContainsFunc(j.reg.redirects, func(r string) bool { return sameRedirect(r, a.redirect) }) {
		return
	}
	j.fail(Check{
		ID: "redirect-uri-differs", Who: Client, Spec: "RFC 6749 3.1.2.3",
		Text: "The client goes back to another URI than it registered.",
		A:    Side{"registered redirect_uris", strings.Join(j.reg.redirects, " "), j.reg.n},
		B:    Side{"redirect_uri of the authorization request", a.redirect, a.n},
		Fix:  "Use a registered redirect_uri, or register again.",
	})
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
			j.fail(Check{
				ID: "resource-parameter-missing", Rule: "resource-parameter-missing", Who: Client, Spec: "RFC 8707 2", Now: true,
				Text: a.what + " has no resource parameter: it does not say for which server the token is meant.",
				A:    Side{where, want, 0}, B: Side{"resource in the request", "", a.n},
				Fix: "Send the “resource” of the metadata as it is.",
			})
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
	j.fail(Check{
		ID: "resource-parameter-differs", Rule: "resource-parameter-differs", Who: Client, Spec: "RFC 8707 2", Now: true,
		Text: a.what + " asks for a token for another server: it is refused, or refused later.",
		A:    Side{where, want, n}, B: Side{"resource in the request", a.resource, a.n},
		Fix: "Send the “resource” of the metadata as it is, in every step.",
	})
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
		j.refusedFor(Check{
			ID: "authorization-denied", Text: "The request " + asked.what + " came back to the client with an error: " + j.step.Text,
			A: Side{"the client asked for", "scope " + quoted(asked.scope) + " resource " + quoted(asked.resource), asked.n},
			B: Side{"error", p.err, p.n},
		}, asked, p.err, p.described)
		j.step.State = Failed
	}
	if asked.n != 0 && asked.state != p.state {
		j.fail(Check{
			ID: "state-differs", Who: AuthServer, Spec: "RFC 6749 4.1.2",
			Text: "The redirect does not bring back the state of the request. The client must refuse it.",
			A:    Side{"state of the request", asked.state, asked.n}, B: Side{"state of the redirect", p.state, p.n},
			Fix: "Return state as it came.",
		})
	}
	if j.asm.n == 0 || p.iss == "" && !j.asm.sendsIss || p.iss == j.asm.issuer {
		return
	}
	j.fail(Check{
		ID: "iss-differs", Who: AuthServer, Spec: "RFC 9207 2.4",
		Text: "The iss of the redirect is not the issuer of the metadata. The client must refuse it.",
		A:    Side{"issuer in the metadata", j.asm.issuer, j.asm.n}, B: Side{"iss of the redirect", p.iss, p.n},
		Fix: "Send iss with every redirect, equal to the issuer to the last character.",
	})
}
