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
		j.fail(check("authorization-empty", val{j.empty.scheme, j.empty.n}, val{}))
		return
	}
	wentOn := j.dropped != nil || j.has(Resource) || j.has(Server) || j.has(Token) || j.accepted > 0 || j.prm.n != 0
	if wentOn || j.asked.inSession && !c.has || c.metadata != "" {
		return
	}
	one := check("challenge-missing", val{c.scheme, c.n}, val{})
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
		first := j.attempts[Server].list[0]
		j.fail(check("resource-metadata-not-requested", val{j.challenge.metadata, j.challenge.n}, val{first.url, first.respN},
			"tries", j.tries(Server)), j.responses(Server)...)
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
	c := check("resource-metadata-missing", val{expectedMetadata(j.url), 0}, val{"", a.respN},
		"tries", j.tries(Resource), "status", status(a.status), "url", a.url)
	c.Frames = append(j.responses(Resource), j.challenge.n, j.asked.n)
	c.Now = j.has(Registration) || j.has(Token) || j.has(Authorize)
	asked := func(a *exchange) bool { return pathOf(a.url) == pathOf(named) }
	switch {
	case a.status == 200 && slices.ContainsFunc(j.attempts[Resource].list, asked) || a.status == 200 && named == "":
		c.as("resource-metadata-missing invalid", "what", a.what, "unfit", j.unfit, "url", a.url)
		if c.Frames = []uint64{a.n}; asked(a) {
			c.as("resource-metadata-missing invalid and named")
		}
	case named == "":
	case slices.ContainsFunc(j.attempts[Resource].list, asked):
		c.as("resource-metadata-missing named")
		c.compare(named, j.challenge.n)
	case hostOf(named) != hostOf("https://"+j.host):
		c.as("resource-metadata-missing midwire")
		c.compare(named, j.challenge.n)
	default:
		c.as("resource-metadata-missing elsewhere")
		c.compare(named, j.challenge.n)
	}
	j.fail(c)
}

// pastMidwire looks at a client that is told to log in at the server's own address, and
// does not come back.
func (j *judge) pastMidwire() {
	if c := &j.challenge; j.asked.isUpstream(hostOf(c.metadata)) && j.gaveUp() && !j.has(Server) {
		j.fail(check("metadata-bypasses-midwire", val{j.url, j.asked.n}, val{c.metadata, c.n}), c.n, j.asked.n)
	}
}

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
		c := check("resource-differs", val{used, j.asked.n}, val{p.resource, p.n}, "why", why, "used", used, "resource", p.resource)
		switch c.Now = !near; {
		case near:
			j.nearResource(&c)
		case p.resource == "":
			c.as("resource-differs missing", "used", used)
		case p.isUpstream(hostOf(p.resource)):
			c.as("resource-differs midwire")
		case why == schemeDiffers:
			c.as("resource-differs scheme")
		}
		j.fail(c, p.reqN)
	}
	if len(p.servers) == 0 {
		j.fail(check("authorization-servers-missing", val{"", p.n}, val{}), p.reqN)
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
		j.fail(check("server-metadata-invalid", val{}, val{"", a.respN}, "what", a.what, "unfit", j.unfit, "url", a.url), a.n)
		return
	}
	at := slices.IndexFunc(j.prm.servers, func(s string) bool { return hostOf(s) == hostOf(a.url) })
	if j.prm.n == 0 || at < 0 || !j.gaveUp() {
		return // it is another server that the client asked, or it did without
	}
	named := j.prm.servers[at]
	c := check("server-metadata-missing", val{named, j.prm.n}, val{"", a.respN},
		"tries", j.tries(Server), "status", status(a.status), "url", a.url, "origin", origin(a.url))
	if origin(named) == origin(j.prm.resource) || origin(named) == origin(j.url) {
		c.as("server-metadata-missing loop", "tries", j.tries(Server))
	}
	j.fail(c, j.responses(Server)...)
}

// issuerCheck compares the issuer with the identifier that the metadata were
// asked for by.
func (j *judge) issuerCheck() {
	s := &j.asm
	c := check("issuer-differs", val{Identifier(s.url), s.reqN}, val{s.issuer, s.n})
	asked := slices.ContainsFunc(j.prm.servers, func(named string) bool { return hostOf(named) == hostOf(s.url) })
	if s.issuer == "" || c.A.Value == "" || !s.isOwn() && (!asked || s.isUpstream(hostOf(s.issuer))) || !j.gaveUp() {
		return
	}
	for _, named := range j.prm.servers {
		if same, _ := SameIssuer(named, s.issuer); same {
			return
		}
		if same, slash := SameIssuer(named, c.A.Value); same || slash {
			c.as("issuer-differs named")
			c.compare(named, j.prm.n)
		}
	}
	if same, _ := SameIssuer(c.A.Value, s.issuer); !same {
		j.step.Text = "of another issuer"
		j.fail(c, s.reqN)
	}
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
		j.fail(check("endpoint-missing", val{"", s.n}, val{}, "missing", missing), s.reqN)
	}
	if people && missing == "" && !slices.Contains(s.methods, "S256") {
		c := check("pkce-not-offered", val{strings.Join(s.methods, " "), s.n}, val{})
		if j.version != "" && mcp.Version(j.version) < mcp.V20251125 {
			c.Weight = "warning"
		}
		j.fail(c, s.reqN)
	}
}
