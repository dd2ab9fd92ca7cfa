package oauth

import (
	"net/url"
	"slices"
	"strings"
)

// The steps of discovery: what the client is told, and where it asks.

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
	if c.metadata != "" || j.has(Resource) || j.has(Server) || j.has(Token) || j.accepted > 0 || j.prm.n != 0 {
		return
	}
	j.fail(Check{
		ID: "challenge-missing", Rule: "challenge-missing", Who: MCPServer, Spec: "RFC 9728 5.1",
		Text: "The 401 does not say where to log in, and the client did not look for it.",
		A:    Side{"WWW-Authenticate", c.scheme, c.n},
		B:    Side{"expected", `Bearer resource_metadata="…"`, 0},
		Fix:  "Send WWW-Authenticate: Bearer with resource_metadata on every 401. If the server has no OAuth, give the client a token in its configuration.",
	})
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
		j.fail(Check{
			ID: "resource-metadata-not-requested", Rule: "oauth-metadata-not-requested", Who: Client, Spec: "RFC 9728 5",
			Text: "The client looks for the authorization server at the MCP server, as protocol version 2025-03-26 did.",
			A:    Side{"the 401 names", j.challenge.metadata, j.challenge.n},
			B:    Side{"the client requested", j.attempts[Server].list[0].url, j.attempts[Server].list[0].n},
			Fix:  "Update the client to protocol version 2025-06-18 or later.",
		})
	case hostOf(j.challenge.metadata) != "" && hostOf(j.challenge.metadata) != hostOf(j.url):
		j.say(NotSeen, hostOf(j.challenge.metadata)+" is not in this recording")
	default:
		j.say(NotSeen, "the client did not request it")
	}
}

func (j *judge) noResource() {
	a := j.last(Resource)
	if j.asm.n != 0 {
		j.say(Skipped, status(a.status)+": the client went on as in 2025-03-26")
		return
	}
	j.say(Failed, status(a.status))
	c := Check{
		ID: "resource-metadata-missing", Rule: "oauth-metadata-missing", Who: MCPServer, Spec: "RFC 9728 3",
		Text: "The MCP server has no protected resource metadata.",
		A:    Side{"expected at", expectedMetadata(j.url), 0}, B: Side{"the response", status(a.status) + " to GET " + a.url, a.respN},
		Fix: "Serve the metadata there, without a token.",
	}
	if a.status == 200 {
		c.B.Value = "no JSON with resource and authorization_servers from GET " + a.url
	}
	if named := j.challenge.metadata; named != "" {
		c.A = Side{"the 401 names", named, j.challenge.n}
		asked := func(a attempt) bool { return pathOf(a.url) == pathOf(named) }
		if !slices.ContainsFunc(j.attempts[Resource].list, asked) && hostOf(named) == hostOf(j.url) {
			c.ID, c.Who = "resource-metadata-elsewhere", Client
			c.Text = "The client does not request the metadata that the 401 names."
			c.Fix = "Update the client: the URL of the challenge comes before those that are guessed. A server can serve both."
		}
	}
	j.fail(c)
}

func expectedMetadata(used string) string {
	u := parseURL(used)
	if u == nil {
		return ResourceWellKnown
	}
	return u.Scheme + "://" + u.Host + ResourceWellKnown + strings.TrimSuffix(u.Path, "/")
}

func (j *judge) resourceChecks() {
	p := &j.prm
	used := j.url
	if u := parseURL(p.url); used == "" && u != nil {
		before, after, _ := strings.Cut(u.Path, ResourceWellKnown)
		used = u.Scheme + "://" + u.Host + before + after
	}
	if why := resourceDiffers(p.resource, used); why != "" {
		j.step.Text = "names another resource"
		c := Check{
			ID: "resource-differs", Rule: "oauth-resource-differs", Who: MCPServer, Spec: "RFC 9728 3.3",
			Text: "The metadata are for another resource than the client uses: " + why + ".",
			A:    Side{"the client uses", used, j.asked.n}, B: Side{"resource in the metadata", p.resource, p.n},
			Fix: "Make “resource” the URL that clients use: " + used + ". Or have clients use " + p.resource + ".",
		}
		if p.resource == "" {
			c.Fix = "Put “resource” into the metadata: " + used + "."
		}
		if p.isUpstream(hostOf(p.resource)) {
			c.Who = Midwire
			c.Text = "midwire has an address of its own. The metadata are for the server behind it, and clients refuse them."
			c.Fix = "Give the client a token as an Authorization header, so that it does not log in through midwire."
		}
		j.fail(c)
	}
	if len(p.servers) == 0 {
		j.fail(Check{
			ID: "authorization-servers-missing", Rule: "oauth-metadata-incomplete", Who: MCPServer, Spec: "RFC 9728 2",
			Text: "The metadata name no authorization server.",
			A:    Side{"authorization_servers", "", p.n}, B: Side{"expected", "at least one URL", 0},
			Fix: "List the issuer of the authorization server in authorization_servers.",
		})
	}
}

// isUpstream says whether a host is the server behind midwire.
func (p *resourceMetadata) isUpstream(host string) bool {
	if p.upstream == "" || host == "" {
		return false
	}
	a, b := url.URL{Host: host}, url.URL{Host: p.upstreamAddr}
	return strings.EqualFold(host, p.upstream) || host == p.upstreamAddr ||
		isLoopback(host) && isLoopback(p.upstreamAddr) && a.Port() == b.Port()
}

// resourceDiffers says in what a resource is not the one that is used, "" for
// nothing.
func resourceDiffers(resource, used string) string {
	r, u := parseURL(resource), parseURL(used)
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
		return "the scheme differs"
	}
	base = strings.TrimSuffix(r.Path, "/")
	if path := strings.TrimSuffix(u.Path, "/"); path != base && !strings.HasPrefix(path, base+"/") {
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

func (j *judge) noServer() {
	a := j.last(Server)
	j.say(Failed, status(a.status))
	c := Check{
		ID: "server-metadata-missing", Rule: "oauth-server-metadata-missing", Who: AuthServer, Spec: "RFC 8414 3",
		Text: "The authorization server has no metadata where the client looks for them.",
		A:    Side{"the client looks for", origin(a.url), 0}, B: Side{"the response", status(a.status) + " to GET " + a.url, a.respN},
		Fix: "Serve the metadata at " + origin(a.url) + ServerWellKnown + ".",
	}
	if len(j.prm.servers) > 0 {
		c.A = Side{"the resource metadata name", j.prm.servers[0], j.prm.n}
		switch named := origin(j.prm.servers[0]); {
		case named == origin(j.prm.resource) || named == origin(j.url):
			c.ID, c.Who = "authorization-server-loop", MCPServer
			c.Text = "The resource metadata name the MCP server itself as authorization server, and it has no metadata as one."
			c.Fix = "Name the issuer of the real authorization server in authorization_servers."
		case named != origin(a.url):
			c.Who = Client
			c.Text = "The client asks the MCP server, and the metadata name another authorization server."
			c.Fix = "See why the client refused the resource metadata, or update it to protocol version 2025-06-18 or later."
		}
	} else if j.prm.n == 0 {
		c.Who = MCPServer
		c.Fix = "Serve protected resource metadata that name the authorization server."
	}
	j.fail(c)
}

// issuerCheck compares the issuer with the identifier that the metadata were
// asked for by. A slash at the end stops only some clients.
func (j *judge) issuerCheck() {
	s := &j.asm
	id := Side{"the client asked", origin(s.url), 0}
	if n := len(j.prm.servers); n > 0 {
		id = Side{"authorization_servers", j.prm.servers[0], j.prm.n}
		if i := slices.IndexFunc(j.prm.servers, func(v string) bool { return origin(v) == origin(s.url) }); i > 0 {
			id.Value = j.prm.servers[i]
		}
	}
	same, slash := SameIssuer(id.Value, s.issuer)
	if same || slash && (j.has(Registration) || j.has(Authorize) || j.has(Token) || j.reg.known) {
		return
	}
	j.step.Text = "of another issuer"
	j.fail(Check{
		ID: "issuer-differs", Rule: "oauth-issuer-differs", Who: AuthServer, Spec: "RFC 8414 3.3",
		Text: "The issuer is not the identifier that the client asked for. Clients must not use such metadata.",
		A:    id, B: Side{"issuer in the metadata", s.issuer, s.n},
		Fix: "Make both the same, to the last character: the issuer of the authorization server, or authorization_servers of the MCP server.",
	})
}

func (j *judge) serverChecks() {
	s := &j.asm
	people := len(s.grants) == 0 || slices.Contains(s.grants, "authorization_code")
	if s.token == "" || s.authorize == "" && people {
		missing := "token_endpoint"
		if s.token != "" {
			missing = "authorization_endpoint"
		}
		j.fail(Check{
			ID: "endpoint-missing", Rule: "oauth-metadata-incomplete", Who: AuthServer, Spec: "RFC 8414 2",
			Text: "The metadata have no " + missing + ".",
			A:    Side{missing, "", s.n}, B: Side{"expected", "a URL", 0}, Fix: "Put " + missing + " into the metadata.",
		})
	}
	if people && !slices.Contains(s.methods, "S256") {
		j.fail(Check{
			ID: "pkce-not-offered", Rule: "oauth-metadata-incomplete", Who: AuthServer, Spec: "RFC 8414 2, OAuth 2.1 7.5.2",
			Text: "The metadata do not offer PKCE with S256. MCP clients must refuse to log in.",
			A:    Side{"code_challenge_methods_supported", strings.Join(s.methods, " "), s.n},
			B:    Side{"clients need", "S256", 0},
			Fix:  "Support PKCE, and list S256 in code_challenge_methods_supported.",
		})
	}
}
