package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
)

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
