package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var legacyClientModernServer = &diagnose.Rule{
	ID: "legacy-client-modern-server", On: diagnose.Errors, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		known := supportedVersions(c)
		code := errorCode(c)
		if code != mcp.CodeUnsupportedVersion && code != mcp.CodeMethodNotFound && !modernOnly(known) ||
			openedModern(c) {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}}
		f.Message = c.Client() + " began with initialize (" + frame(c.Call.N) + "), and the server does not know the handshake: " + quote(errorText(c)) + "."
		a := c.Operations().Of(c.Session.Index)
		if code == mcp.CodeMethodNotFound && a != nil && a.Noises+len(a.Strays) > 0 {
			f.Side, f.Brief = diagnose.Server, "no MCP server"
			f.Message = c.Server() + " refused initialize (" + frame(c.Call.N) + ") as unknown: " + quote(errorText(c)) + ". It wrote to stdout what is no response to anything."
			advise(&f, "no MCP server")
		}
		switch {
		case modernOnly(known):
			f.Message += " It supports " + strings.Join(known, ", ") + "."
		case len(known) > 0:
			return // it has older protocol versions to offer
		}
		c.ReportAs("", f)
	},
}

// openedModern says whether the process in hand was opened with a request of
// 2026-07-28 that it responded: it then refuses a handshake for another reason.
func openedModern(c *diagnose.Case) bool {
	if c.Session.Transport != session.TransportStdio {
		return false
	}
	return c.Facts.LastOK != 0 || slices.ContainsFunc(c.Responded(), func(s *session.Session) bool {
		return s.Transport == session.TransportStdio && s.Modern
	})
}

var modernClientLegacyServer = rule("modern-client-legacy-server", diagnose.Refusals|diagnose.ModernResults|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[eraRefusal](c)
		if c.Refusal != nil {
			s.add(c)
			return
		}
		if c.N != 0 {
			s.offer(c)
			return
		}
		// A process may be started for this question alone.
		alone := s.served == 1 && s.count == 0 && !s.other && c.Session.Transport != session.TransportStdio
		if len(s.offered) > 0 && alone && !c.Session.Probe && !fellBack(c) {
			c.ReportAs("offer", diagnose.Finding{
				Brief: "no protocol version in common", Side: diagnose.Unclear,
				Message: c.Client() + " sent " + mcp.Discover + " as of " + string(c.Session.ProtocolVersion) + " (" + frame(s.call) + "), the server supports " +
					strings.Join(s.offered, ", ") + " (" + frame(s.response) + "), and the client asked for nothing else.",
				Frames: []uint64{s.call, s.response},
			})
		}
		onlyProbe := s.discovers == s.count && c.Session.Transport == session.TransportStdio
		if s.count == 0 || s.other || onlyProbe || c.Facts.LastOK != 0 || c.Session.Probe || fellBack(c) {
			return
		}
		f := diagnose.Finding{
			Message: c.Client() + " sent " + quote(s.method) + " as of " + string(c.Session.ProtocolVersion) + " (" + frame(s.call) + "), the server refused: " +
				quote(s.text) + ", and the client did not continue with initialize.",
			Frames: []uint64{s.call, s.response},
		}
		if s.status >= 500 {
			f.Message += " With " + httpStatus(s.status) + " it need not: that says that the server failed."
			advise(&f, "unknown method told as a failure")
		}
		c.Report(f)
	})

// eraRefusal is the first refusal of a modern session that shows a server
// of the other era.
type eraRefusal struct {
	call, response   uint64
	method, text     string
	status           int
	count, discovers int
	other            bool // something was refused for another reason
	served           int
	offered          []string // the versions of the server, where the client's is not among them
}

func (s *eraRefusal) offer(c *diagnose.Case) {
	s.served++
	if versions := discovered(c); c.Call != nil && c.Call.Method == mcp.Discover && len(versions) > 0 &&
		!slices.Contains(versions, string(c.Call.Version)) {
		s.call, s.response, s.offered = c.Call.N, c.N, versions
	}
}

func (s *eraRefusal) add(c *diagnose.Case) {
	r := c.Refusal
	if c.Call == nil {
		return
	}
	older := r.Code == mcp.CodeUnsupportedVersion && len(supportedVersions(c)) > 0 &&
		!offersModern(supportedVersions(c))
	legacy := older || r.Means(sdkwords.WrongEra) ||
		r.Code != mcp.CodeInvalidParams && blamesHandshake(r) ||
		c.Call.Method == mcp.Discover && (saysNoMethod(r) || r.Status == 404 || r.Status == 405) ||
		r.Says("session") && r.Status == 400
	if !legacy {
		s.other = true
		return
	}
	if s.count++; c.Call.Method == mcp.Discover {
		s.discovers++
	}
	if s.count == 1 {
		s.call, s.response, s.method, s.text, s.status = c.Call.N, c.N, c.Call.Method, plain(r.Text), r.Status
	}
}

func offersModern(versions []string) bool {
	return slices.ContainsFunc(versions, func(v string) bool { return mcp.Version(v).IsModern() })
}

// handshakes are those of a recording: of each place when the last was, and whose.
type handshakes struct {
	last map[string]int64
	by   map[endpointClient]bool
}

type endpointClient struct {
	endpoint string
	client   session.Peer
}

// fellBack says whether a handshake was made at the same place: by the same
// client, or by whomever after the session in hand began.
func fellBack(c *diagnose.Case) bool {
	all := diagnose.Standing(c, func(all *handshakes) {
		for _, s := range c.Sessions() {
			if f := c.FactsOf(s.Index); f != nil && f.Init != nil {
				last, known := made(&all.last)[s.Endpoint]
				if !known || f.Init.T > last {
					all.last[s.Endpoint] = f.Init.T
				}
				made(&all.by)[endpointClient{s.Endpoint, s.Client}] = true
			}
		}
	})
	last, known := all.last[c.Session.Endpoint]
	return known && (last >= c.Session.Started || all.by[endpointClient{c.Session.Endpoint, c.Session.Client}])
}

// saysNoMethod reports whether a refusal is one of a method that the server does not have, with
// whatever code or status.
func saysNoMethod(r *diagnose.Refusal) bool {
	return r.Code == mcp.CodeMethodNotFound || r.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented) ||
		r.Says("missing handler", "no handler", "not implemented", "unknown method")
}

var versionHeaderRefused = rule("version-header-refused", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status != 400 || c.Facts == nil || !c.Facts.Negotiated() ||
		c.Method() == mcp.Initialize || c.Method() == mcp.Discover || !blamesVersion(c.Refusal) {
		return
	}
	init := c.Facts.Init
	sent := wire.HeadValues(x.RequestHead, mcp.HeaderVersion)
	if mcp.Version(sent).IsModern() {
		return // a request of another era
	}
	f := diagnose.Finding{Frames: []uint64{c.N, uint64(x.RequestN)}, Beside: []uint64{init.ResponseN}}
	switch {
	case sent == "" && init.Chosen < mcp.V20250618:
		advise(&f, "header asked of older versions")
		f.Message = c.Client() + " sent no " + mcp.HeaderVersion + " header"
	case sent == "":
		f.Message = c.Client() + " sent no " + mcp.HeaderVersion + " header"
	case sent == string(init.Chosen):
		advise(&f, "negotiated version refused")
		f.Message = c.Client() + " sent the negotiated protocol version, " + sent
	default:
		f.Message = c.Client() + " sent " + mcp.HeaderVersion + " " + quote(sent)
	}
	f.Message += ", after the server chose " + string(init.Chosen) + " (" + frame(init.ResponseN) + "), and was refused: " + said(c.Refusal) + "."
	c.ReportAs(sent, f)
})

var versionPromised = rule("version-promised", diagnose.Results|diagnose.Refusals, func(c *diagnose.Case) {
	if c.Session == nil || c.Call == nil {
		return
	}
	lists := made(diagnose.Memory[map[string]listedVersions](c))
	switch {
	case c.Refusal == nil:
		if c.Call.Method == mcp.Discover && len(lists) < maxPaths {
			lists[c.Session.Endpoint] = listedVersions{c.N, discovered(c)}
		}
	case c.Call.Method != mcp.Discover && c.Refusal.Means(sdkwords.VersionUnsupported):
		version := string(c.Call.Version)
		if x := c.Exchange; x != nil && x.Header(mcp.HeaderVersion) != version {
			return // that is what is wrong
		}
		if p := lists[c.Session.Endpoint]; slices.Contains(p.versions, version) {
			what := c.Call.Method + " (" + frame(c.Call.N) + ") of that version: " + said(c.Refusal) + "."
			c.Say(version, c.Server()+" lists "+version+" in the result of server/discover ("+frame(p.n)+"), and refused "+what,
				c.N, c.Call.N, p.n)
		}
	}
})

// listedVersions is what a server said last that it supports.
type listedVersions struct {
	n        uint64
	versions []string
}

// discovered are the protocol versions in the result in hand.
func discovered(c *diagnose.Case) (list []string) {
	wire.Items(c.Result("supportedVersions"), func(_ int, v []byte) bool {
		list = append(list, text(v))
		return len(list) < 16
	})
	return list
}

var versionRefused = &diagnose.Rule{
	ID: "version-refused", On: diagnose.Refusals, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		if c.Facts == nil || c.Facts.Init == nil {
			return
		}
		init := c.Facts.Init
		if init.Requested == "" || init.Requested.IsModern() || c.Refusal.Code == mcp.CodeUnsupportedVersion ||
			!refusesVersion(c.Refusal) {
			return
		}
		known := supportedVersions(c)
		if modernOnly(known) {
			return // another story: the server is too new
		}
		f := diagnose.Finding{Frames: []uint64{c.N, init.N}}
		f.Message = c.Client() + " requested protocol version " + quote(string(init.Requested)) + " (" + frame(init.N) + "), and the server refused instead of responding with one that it supports: " + said(c.Refusal) + "."
		if len(known) > 0 {
			f.Message += " It says that it supports " + strings.Join(known, ", ") + "."
		}
		if c.Refusal.RPC && c.Refusal.Status < 400 {
			f.Severity = diagnose.Warning // the page's own example of an error is this one
		}
		c.ReportAs("", f)
	},
}

// refusesVersion says whether a refusal complains of the protocol version that
// was asked for.
func refusesVersion(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.VersionUnsupported) && !r.Says("header")
}

func blamesVersion(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.VersionUnsupported, sdkwords.VersionHeader)
}

// modernOnly says whether a server that names these versions has none with a
// handshake.
func modernOnly(versions []string) bool {
	for _, v := range versions {
		if !mcp.Version(v).IsModern() {
			return false
		}
	}
	return len(versions) > 0
}
