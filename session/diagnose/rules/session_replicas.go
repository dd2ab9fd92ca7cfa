package rules

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionReplicas = rule("session-replicas", diagnose.HTTPResponses|diagnose.Refusals, checkReplicas)

type replicas struct {
	known   bool // the last response knew the session
	seen    bool
	flips   int
	frames  []uint64
	named   bool // a refusal spoke of the session
	servers []string
}

func checkReplicas(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || c.Session == nil || c.Session.Transport != session.TransportHTTP || c.Session.ID == "" ||
		c.IsModern() ||
		x.Verb != "POST" || x.SessionID != c.Session.ID {
		return
	}
	known := c.Refusal == nil && x.Status/100 == 2
	if !known && (c.Refusal == nil || !refusesID(c)) {
		return
	}
	s := diagnose.State[replicas](c)
	s.named = s.named || !known && (blamesSession(c.Refusal) || blamesHandshake(c.Refusal))
	change := s.seen && s.known != known
	if change || !s.seen {
		if who := replica(x); who != "" && len(s.servers) < 4 && !slices.Contains(s.servers, who) {
			s.servers = append(s.servers, who)
		}
	}
	if change {
		s.flips++
		if len(s.frames) < 8 {
			s.frames = append(s.frames, uint64(x.ResponseN))
		}
	}
	s.seen, s.known = true, known
	if s.flips < 2 {
		return
	}
	f := diagnose.Finding{
		Message: c.Server() + " knew session " + quote(c.Session.ID) + " and did not know it in turns, " + number(s.flips) + " changes so far, without a new initialize.",
		Frames:  s.frames,
	}
	switch {
	case s.flips < 3 && !s.named:
		f.Seen = true
	}
	if len(s.servers) > 1 {
		f.Message += " Its responses name different servers: " + quote(s.servers[0]) + " and " + quote(s.servers[1]) + "."
	}
	if s.flips == 2 || known {
		c.ReportAs("", f)
	}
}

// refusesID says whether a refusal is one of the session id: by the status that says
// so, or by its words.
func refusesID(c *diagnose.Case) bool {
	switch r := c.Refusal; r.Status {
	case 404:
		return r.Code != mcp.CodeMethodNotFound && r.Code != mcp.CodeInvalidParams
	case 400, 401, 403, 410:
		return blamesSession(r) || blamesHandshake(c.Refusal)
	}
	return false
}

// replica is what a response says of the machine that made it.
func replica(x *session.Exchange) string {
	for _, name := range []string{"X-Served-By", "X-Instance", "X-Backend", "X-Server", "X-Pod-Name", "Via", "Server"} {
		if v := x.ResponseHeader(name); v != "" {
			return name + ": " + v
		}
	}
	return ""
}
