package oauth

import (
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/words"
)

// The steps of discovery: what the client learns, and where it asks.

func (j *judge) ask() {
	c := &j.challenge
	if j.asked.n == 0 {
		j.say(NotSeen, "no request without a token was refused")
		if len(j.refusals) > 0 {
			j.link("resource_metadata", c.metadata)
		}
		return
	}
	j.say(Done, "401 without WWW-Authenticate")
	switch {
	case c.metadata != "":
		j.step.Text = "401 names the metadata"
	case c.has:
		j.step.Text = "401 without resource_metadata"
	}
	j.link("resource_metadata", c.metadata)
	j.link("scope", c.scope)
	if j.empty != nil {
		j.fail(Check{
			ID: "authorization-empty", Who: Client, Spec: "RFC 6750 2.1",
			Text: "The client sends an Authorization header without a token.",
			A:    Side{"Authorization", j.empty.scheme, j.empty.n}, B: Side{"expected", "Bearer TOKEN", 0},
			Fix: "In the client's configuration: see that the header arrives whole. A space in it often ends an argument, and a variable may be empty.",
		})
		return
	}
	wentOn := j.dropped != nil || j.has(Resource) || j.has(Server) || j.has(Token) || j.accepted > 0 || j.prm.n != 0
	if wentOn || j.asked.inSession && !c.has || c.metadata != "" {
		return
	}
	one := Check{
		ID: "challenge-missing", Who: MCPServer, Spec: "RFC 9728 5.1",
		Text: "The 401 does not say where to log in, and the client did not look for it.",
		A:    Side{"WWW-Authenticate", c.scheme, c.n},
		B:    Side{"expected", `Bearer resource_metadata="…"`, 0},
		Fix:  "Send WWW-Authenticate: Bearer with resource_metadata on every 401. If the server has no OAuth, give the client a token in its configuration.",
	}
	if !c.has || mcp.Version(j.version) == mcp.V20250618 {
		one.Rule = "challenge-missing"
	}
	j.fail(one)
}

func (j *judge) resource() {
	p := &j.prm
	j.link("resource", p.resource)
	if len(p.servers) > 0 {
		j.link("authorization_server", strings.Join(p.servers, " "))
	}
	switch {
	case p.known:
		j.say(Skipped, "known from "+frame(p.n))
		return
	case p.n != 0:
		j.say(Done, "for "+p.resource)
		j.resourceChecks()
	case j.has(Resource):
		j.noResource()
	case j.has(Server) && j.asm.n == 0 && j.challenge.metadata != "" && j.challenge.err == "":
		j.say(Failed, "not requested")
		if j.served || j.accepted > 0 || hostOf(j.challenge.metadata) != hostOf(j.attempts[Server].list[0].url) {
			return
		}
		j.fail(Check{
			ID: "resource-metadata-not-requested", Rule: "oauth-metadata-not-requested", Who: Client, Spec: "RFC 9728 5",
			Text: "The client did not request the metadata that the 401 names. It looked for an authorization server at the MCP server: " +
				j.tries(Server) + ".",
			A:   Side{"the 401 names", j.challenge.metadata, j.challenge.n},
			B:   Side{"the client requested", j.attempts[Server].list[0].url, j.attempts[Server].list[0].respN},
			Fix: "Update the client to protocol version 2025-06-18 or later.", Frames: j.responses(Server),
		})
	case hostOf(j.challenge.metadata) != "" && hostOf(j.challenge.metadata) != hostOf(j.url):
		j.say(NotSeen, hostOf(j.challenge.metadata)+" is not in this recording")
		j.pastMidwire()
	default:
		j.say(NotSeen, "the client did not request it")
	}
}

// tries are the requests of a step and the outcome; responses are their frames.
func (j *judge) tries(k Kind) string {
	var all []string
	for _, a := range j.attempts[k].list[:min(len(j.attempts[k].list), maxTries)] {
		gave := a.what + " gave " + status(a.status)
		if a.page {
			gave += " and a web page (HTML)"
		}
		all = append(all, gave)
	}
	return strings.Join(all, ", ")
}

func (j *judge) responses(k Kind) (all []uint64) {
	for _, a := range j.attempts[k].list[:min(len(j.attempts[k].list), maxTries)] {
		all = append(all, a.respN)
	}
	return all
}

const maxTries = 8

// wentOn reports whether a client came further in its login, without the metadata.
func (j *judge) wentOn() bool {
	return j.reg.n != 0 && j.reg.status < 400 || len(j.grants) > 0 ||
		slices.ContainsFunc(j.authz, func(a *exchange) bool { return a.status < 400 && a.status != 0 })
}

// noResource looks for why there are no metadata: that is certain when the URL that the
// 401 names leads nowhere, or when the client has given up.
func (j *judge) noResource() {
	a, named := j.last(Resource), j.challenge.metadata
	if j.asm.n != 0 || j.wentOn() {
		j.say(Skipped, status(a.status)+": the client went on as in 2025-03-26")
		return
	}
	if j.say(Failed, status(a.status)); j.asked.n == 0 || j.accepted > 0 || OtherScheme(j.challenge.scheme) {
		return
	}
	c := Check{
		ID: "resource-metadata-missing", Rule: "oauth-metadata-missing", Who: MCPServer, Spec: "RFC 9728 3",
		Text: "The server responded with 401, and the search for its metadata fails: " + j.tries(Resource) + ".",
		A:    Side{"expected at", expectedMetadata(j.url), 0}, B: Side{"the response", status(a.status) + " to GET " + a.url, a.respN},
		Fix: "Serve the metadata there, without a token.", Frames: append(j.responses(Resource), j.challenge.n, j.asked.n),
		Now: j.has(Registration) || j.has(Token) || j.has(Authorize),
	}
	asked := func(a *exchange) bool { return pathOf(a.url) == pathOf(named) }
	switch {
	case a.status == 200 && slices.ContainsFunc(j.attempts[Resource].list, asked) || a.status == 200 && named == "":
		c.ID, c.Rule, c.Now = "resource-metadata-invalid", "oauth-metadata-incomplete", true
		c.Text = "The response to " + a.what + " " + j.unfit + "."
		c.B.Value, c.Frames = j.unfit+": GET "+a.url, []uint64{a.n}
		if pathOf(a.url) == pathOf(named) {
			c.Text += " That is the URL that WWW-Authenticate names as resource_metadata."
		}
	case named == "":
	case slices.ContainsFunc(j.attempts[Resource].list, asked):
		c.A, c.Now = Side{"the 401 names", named, j.challenge.n}, true
	case hostOf(named) != j.ownHost():
		c.A, c.Weight, c.Doubt, c.Who = Side{"the 401 names", named, j.challenge.n}, Warned, Likely, Midwire
		c.Text += " The server named a URL that bypasses midwire."
		c.Cause, c.Fix = "midwire has an address of its own. The client looks for the metadata at the server's real address, bypassing midwire, and refuses it there, because it is not for the address that the client uses.", throughMidwire
	default:
		c.ID, c.Who = "resource-metadata-elsewhere", Client
		c.A = Side{"the 401 names", named, j.challenge.n}
		c.Text += " The client did not request what the 401 names."
		c.Fix = "Update the client: the URL of the challenge comes before those that are guessed. A server can serve both."
	}
	j.fail(c)
}

// throughMidwire is what to do where midwire's own address is in the way.
const throughMidwire = "Give the client a token as an Authorization header, so that it does not log in through midwire."

// pastMidwire looks at a client that is told to log in at the server's own address, and
// does not come back.
func (j *judge) pastMidwire() {
	if !j.asked.isUpstream(hostOf(j.challenge.metadata)) || !j.gaveUp() || j.has(Server) {
		return
	}
	j.fail(Check{
		ID: "metadata-bypasses-midwire", Rule: "oauth-resource-differs", Who: Midwire, Weight: Warned, Doubt: Likely, Spec: "RFC 9728 3.3",
		Text:  "The 401 names metadata at the server's real address. The client looks there, bypassing midwire, and what it finds is not for the address that it uses.",
		Cause: "midwire has an address of its own. The client compares it with the one in the metadata, and refuses. What it did there is not in this recording.",
		A:     Side{"the client uses", j.url, j.asked.n}, B: Side{"the 401 names", j.challenge.metadata, j.challenge.n},
		Fix: throughMidwire, Frames: []uint64{j.challenge.n, j.asked.n},
	})
}

// ownHost is the host by which the client knows the MCP server.
func (j *judge) ownHost() string { return hostOf("https://" + j.host) }

func expectedMetadata(used string) string {
	u := words.ParseURL(used)
	if u == nil {
		return ResourceWellKnown
	}
	return u.Scheme + "://" + u.Host + ResourceWellKnown + strings.TrimSuffix(u.Path, "/")
}

func (j *judge) resourceChecks() {
	p := &j.prm
	used := j.url
	if u := words.ParseURL(p.url); u != nil {
		before, after, _ := strings.Cut(u.Path, ResourceWellKnown)
		used = u.Scheme + "://" + u.Host + before + after
	}
	why := resourceDiffers(p.resource, used)
	above := strings.TrimSuffix(pathOf(p.resource), "/") != strings.TrimSuffix(pathOf(j.url), "/") || j.slashDiffers()
	near := why == "" && above && j.url != "" && j.gaveUp() && j.until-p.t >= 300e6
	if why != "" || near {
		j.step.Text = "names another resource"
		c := Check{
			ID: "resource-differs", Rule: "oauth-resource-differs", Who: MCPServer, Spec: "RFC 9728 3.3", Now: !near,
			Text: "The metadata is for another resource than the client uses: " + why + ".",
			A:    Side{"the client uses", used, j.asked.n}, B: Side{"resource in the metadata", p.resource, p.n},
			Fix: "Make “resource” the URL that clients use: " + used + ". Or have clients use " + p.resource + ".", Frames: []uint64{p.reqN},
		}
		switch {
		case near:
			j.nearResource(&c)
		case p.resource == "":
			c.Fix = "Put “resource” into the metadata: " + used + "."
		case p.isUpstream(hostOf(p.resource)):
			c.Who, c.Weight, c.Fix = Midwire, Warned, throughMidwire
			c.Text = "The metadata is for the server behind midwire, and clients refuse to log in to it under midwire's address."
			c.Cause = "midwire has an address of its own. The client compares it with the server's real URL, and refuses."
		case why == schemeDiffers:
			c.Cause = "The server runs behind a TLS proxy and does not know it."
			c.Fix = "Make the server trust X-Forwarded-Proto, or configure its public URL."
		}
		j.fail(c)
	}
	if len(p.servers) == 0 {
		j.fail(Check{
			ID: "authorization-servers-missing", Rule: "oauth-metadata-incomplete", Who: MCPServer, Spec: "RFC 9728 2", Now: true,
			Text: "The metadata names no authorization_servers.",
			A:    Side{"authorization_servers", "", p.n}, B: Side{"expected", "at least one URL", 0},
			Fix: "List the issuer of the authorization server in authorization_servers.", Frames: []uint64{p.reqN},
		})
	}
}

// behind is the server behind midwire, of an exchange.
type behind struct {
	upstream     string // the Host that the server got in place of the client's
	upstreamAddr string
}

// isUpstream reports whether a host is the server behind midwire.
func (p *behind) isUpstream(host string) bool {
	return words.IsUpstream(host, p.upstream, p.upstreamAddr)
}

const schemeDiffers = "the scheme is http instead of https"

// resourceDiffers says in what a resource is not the one that is used, "" for
// nothing.
func resourceDiffers(resource, used string) string {
	r, u := words.ParseURL(resource), words.ParseURL(used)
	base := ""
	switch {
	case resource == "":
		return "it is missing"
	case r == nil:
		return "it is no absolute URL"
	case u == nil:
		return ""
	case hostOf(resource) != hostOf(r.Scheme+"://"+u.Host):
		return "the host differs"
	case u.Scheme == "https" && r.Scheme != "https":
		return schemeDiffers
	}
	base = strings.TrimSuffix(r.Path, "/")
	if path := strings.TrimSuffix(u.Path, "/"); path != "" && path != base && !strings.HasPrefix(path, base+"/") {
		return "the path differs"
	}
	return ""
}

func (j *judge) server() {
	j.step.To = AuthServer
	s := &j.asm
	j.link("issuer", s.issuer)
	j.link("authorization_endpoint", s.authorize)
	j.link("token_endpoint", s.token)
	switch {
	case s.known:
		j.say(Skipped, "known from "+frame(s.n))
	case s.n != 0:
		j.say(Done, "of "+s.issuer)
		j.issuerCheck()
		j.serverChecks()
	case j.has(Server):
		j.noServer()
	case len(j.prm.servers) > 0 && hostOf(j.prm.servers[0]) != hostOf(j.url):
		j.say(NotSeen, hostOf(j.prm.servers[0])+" is not in this recording")
	default:
		j.say(NotSeen, "the client did not request it")
	}
}

// gaveUp reports whether a client that must log in went no further than the metadata.
func (j *judge) gaveUp() bool {
	return j.asked.n != 0 && !j.has(Registration) && !j.has(Authorize) && !j.has(Token) && !j.served && j.accepted == 0
}

func (j *judge) noServer() {
	a := j.last(Server)
	j.say(Failed, status(a.status))
	if a.status == 200 && j.asked.n != 0 {
		j.fail(Check{
			ID: "server-metadata-invalid", Rule: "oauth-metadata-incomplete", Who: AuthServer, Spec: "RFC 8414 3.2", Now: true,
			Text: "The response to " + a.what + " " + j.unfit + ".",
			A:    Side{"expected", "JSON with issuer and endpoints", 0}, B: Side{"the response", j.unfit + ": GET " + a.url, a.respN},
			Fix: "Respond with the metadata as JSON.", Frames: []uint64{a.n},
		})
		return
	}
	at := slices.IndexFunc(j.prm.servers, func(s string) bool { return hostOf(s) == hostOf(a.url) })
	if j.prm.n == 0 || at < 0 || !j.gaveUp() {
		return // it is another server that the client asked, or it did without
	}
	named := j.prm.servers[at]
	c := Check{
		ID: "server-metadata-missing", Rule: "oauth-server-metadata-missing", Who: AuthServer, Spec: "RFC 8414 3",
		Text: "The authorization server that the server's metadata names has no metadata: " + j.tries(Server) + ".",
		A:    Side{"the resource metadata names", named, j.prm.n}, B: Side{"the response", status(a.status) + " to GET " + a.url, a.respN},
		Fix: "Serve the metadata at " + origin(a.url) + ServerWellKnown + ".", Frames: j.responses(Server),
	}
	if origin(named) == origin(j.prm.resource) || origin(named) == origin(j.url) {
		c.ID, c.Who = "authorization-server-loop", MCPServer
		c.Text = "The resource metadata names the MCP server itself as authorization server, and it has no metadata as one: " + j.tries(Server) + "."
		c.Fix = "Name the issuer of the real authorization server in authorization_servers."
	}
	j.fail(c)
}

// issuerCheck compares the issuer with the identifier that the metadata were
// asked for by.
func (j *judge) issuerCheck() {
	s := &j.asm
	id := Side{"the client asked for", Identifier(s.url), s.reqN}
	asked := slices.ContainsFunc(j.prm.servers, func(named string) bool { return hostOf(named) == hostOf(s.url) })
	if s.issuer == "" || id.Value == "" || !s.isOwn() && (!asked || s.isUpstream(hostOf(s.issuer))) || !j.gaveUp() {
		return
	}
	for _, named := range j.prm.servers {
		if same, _ := SameIssuer(named, s.issuer); same {
			return
		}
		if same, slash := SameIssuer(named, id.Value); same || slash {
			id = Side{"authorization_servers", named, j.prm.n}
		}
	}
	if same, _ := SameIssuer(id.Value, s.issuer); same {
		return
	}
	j.step.Text = "of another issuer"
	j.fail(Check{
		ID: "issuer-differs", Rule: "oauth-issuer-differs", Who: AuthServer, Spec: "RFC 8414 3.3",
		Text: "The issuer in the metadata is not the identifier that the client asked for. The client went no further.",
		A:    id, B: Side{"issuer in the metadata", s.issuer, s.n}, Frames: []uint64{s.reqN},
		Fix: "Make both the same, to the last character: the issuer of the authorization server, or authorization_servers of the MCP server.",
	})
}

// isOwn reports whether metadata are of the server that was asked: not of the one behind
// midwire, and with a token endpoint that leads there.
func (s *serverMetadata) isOwn() bool {
	host := hostOf(s.url)
	behind := hostOf(s.issuer) != host && hostOf(s.issuer) != "" && (s.upstream != "" || s.isUpstream(hostOf(s.issuer)))
	return !behind && hostOf(s.token) == host
}

func (j *judge) serverChecks() {
	s := &j.asm
	people := len(s.grants) == 0 || slices.Contains(s.grants, "authorization_code") || slices.Contains(s.grants, "implicit")
	missing := ""
	switch {
	case s.issuer == "":
		missing = "issuer"
	case s.authorize == "" && people:
		missing = "authorization_endpoint"
	case s.token == "":
		missing = "token_endpoint"
	}
	if missing != "" {
		j.fail(Check{
			ID: "endpoint-missing", Rule: "oauth-metadata-incomplete", Who: AuthServer, Spec: "RFC 8414 2",
			Text: "The metadata has no " + missing + ".", Now: true, Frames: []uint64{s.reqN},
			A: Side{missing, "", s.n}, B: Side{"expected", "a URL", 0}, Fix: "Put " + missing + " into the metadata.",
		})
	}
	if people && missing == "" && !slices.Contains(s.methods, "S256") {
		c := Check{
			ID: "pkce-not-offered", Rule: "oauth-metadata-incomplete", Who: AuthServer, Spec: "RFC 8414 2, OAuth 2.1 7.5.2",
			Text: "The metadata does not announce PKCE with S256 in code_challenge_methods_supported, which MCP clients require.",
			A:    Side{"code_challenge_methods_supported", strings.Join(s.methods, " "), s.n},
			B:    Side{"clients need", "S256", 0}, Now: true, Frames: []uint64{s.reqN},
			Fix: "Support PKCE, and list S256 in code_challenge_methods_supported.",
		}
		if j.version != "" && mcp.Version(j.version) < mcp.V20251125 {
			c.Weight = Warned
		}
		j.fail(c)
	}
}
