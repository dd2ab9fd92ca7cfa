package rules

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionHeaderMissing = rule("session-header-missing", diagnose.Refusals|diagnose.Finish,
	func(c *diagnose.Case) {
		x := c.Exchange
		pinged := diagnose.State[[]uint64](c) // frames of a ping that was refused for want of an id
		if c.N == 0 {
			if len(*pinged) > 0 && initOf(c) == nil {
				c.Say("", c.Client()+" sent ping ("+frame((*pinged)[0])+") without Mcp-Session-Id, was refused for it, and sent no initialize.", *pinged...)
			}
			return
		}
		if x != nil && c.Method() == mcp.Initialize && c.Call != nil && x.SessionID == "" && x.Status >= 400 &&
			blamesMissingID(c.Refusal) && !asksForSession(c.Refusal) {
			c.ReportAs("initialize", withAdvice("session before initialize", diagnose.Finding{
				Side:    diagnose.Server,
				Message: c.Server() + " refused initialize (" + frame(c.Call.N) + ") because it has no session id: " + said(c.Refusal) + ". The response to initialize is what would issue one.",
				Frames:  []uint64{c.Call.N, c.N},
			}))
			return
		}
		if x == nil || c.IsModern() || x.SessionID != "" || !blamesMissingID(c.Refusal) {
			return
		}
		if in := initOf(c); in != nil {
			neverIssued(c, in)
			return
		}
		if c.Call == nil || exempt[c.Call.Method] {
			if c.Call != nil && c.Call.Method == mcp.Ping && len(*pinged) < diagnose.MaxFrames {
				*pinged = append(*pinged, c.Call.N, c.N)
			}
			return
		}
		c.Say("", c.Client()+" sent "+c.Call.Method+" ("+frame(c.Call.N)+") without Mcp-Session-Id and without an initialize before it. The server refused: "+said(c.Refusal)+".",
			c.Call.N, c.N)
	})

// neverIssued looks at a server that misses the id of a session for which it issued none.
func neverIssued(c *diagnose.Case, in *diagnose.Init) {
	x := c.Exchange
	if !in.OK || c.Session.ID != "" || isSSE(c) || asksForSession(c.Refusal) || uint64(x.RequestN) < in.ResponseN {
		return
	}
	f := diagnose.Finding{Side: diagnose.Server, Frames: []uint64{c.N, uint64(x.RequestN), in.ResponseN}}
	issued := c.Server() + " issued no session id in its response to initialize (" + frame(in.ResponseN) + ")"
	if by := between(x); by != "" {
		f.Side = diagnose.Gateway
		issued = "The response of " + c.Server() + " to initialize came through " + quote(by) + " without a session id (" + frame(in.ResponseN) + ")"
	}
	f.Message = issued + ", and " + rowName(c) + " (" + frame(x.RequestN) + ") was refused because it has none: " + said(c.Refusal) + "."
	advise(&f, "session header dropped")
	c.ReportAs("never issued", f)
}

var sessionIDNotEchoed = rule("session-id-not-echoed", diagnose.Results|diagnose.Notifications|diagnose.Refusals,
	func(c *diagnose.Case) {
		in, x := initOf(c), c.Exchange
		if x == nil || in == nil || c.Modern || c.Call == nil && c.Dir == wire.ToClient ||
			x.Verb != "POST" || x.SessionID != "" {
			return
		}
		method := c.Method()
		id, due := c.Ledger.Other(ledger.SessionID, int(in.Row))
		if !due || exempt[method] || uint64(x.RequestN) < in.ResponseN {
			return
		}
		f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN), in.ResponseN}}
		what := c.Server() + " issued session id " + quote(c.Session.ID) + " (" + frame(in.ResponseN) + "), and the client sent "
		if c.Refusal != nil {
			f.Message = what + method + " (" + frame(x.RequestN) + ") without it. It was refused: " + quote(plain(c.Refusal.Text)) + "."
			f.Frames = []uint64{uint64(x.RequestN), c.N, in.ResponseN}
		} else {
			f.Message = what + method + " (" + frame(x.RequestN) + ") without it."
		}
		if isPage(x) && !hasWord(id.Status, "mcp-session-id", "*") {
			f.Side = diagnose.Server
			f.Message += " The client is a page in a browser, and Access-Control-Expose-Headers of the response does not name Mcp-Session-Id: the page cannot read the id."
			advise(&f, "session header not exposed")
		}
		c.ReportAs("", f)
	})

var sessionNotRenewed = rule("session-not-renewed", diagnose.Refusals|diagnose.Finish, checkNotRenewed)

// stubborn is how long a client uses an id that is over, and how often, that does not
// begin again by itself.
const (
	stubborn   = 5e9
	maxDeadUse = 3
	fresh      = 60e9 // a session is not yet idle
)

func checkNotRenewed(c *diagnose.Case) {
	if c.Session == nil || c.Refusal == nil && c.N != 0 {
		return
	}
	lost, ok := c.Ledger.Latest(ledger.Renewal, c.Session.Index)
	if !ok || c.Facts.LastOK == 0 && c.Session.IDSource == session.IDForeign {
		return
	}
	if c.Facts.LastOK > lost.T { // another answer of the session says that it lives
		return
	}
	was := c.Tracker().Row(int(lost.Row))
	told := diagnose.State[int](c) // uses of the id that were reported
	switch {
	case c.N != 0 && (c.Refusal.Status != 404 || lost.Times < maxDeadUse || c.T-lost.T <= stubborn):
		return
	case c.N == 0 && lost.Signs == 0 && c.Session.State == session.StateLost:
		f := diagnose.Finding{Severity: diagnose.Warning}
		f.Frames = []uint64{uint64(was.Request), lost.N}
		f.Message = c.Server() + " forgot session " + quote(lost.Name) + " (" + frame(lost.N) + "), and the client sent no further message and no new initialize."
		if since := lost.T - c.Facts.LastOK; c.Facts.LastOK != 0 && since < fresh {
			f.Side = diagnose.Server
			f.Message += " The session had been served " + seconds(since) + " before."
			f.Cause = "The session is too young to have expired: another instance got the request (replicas without affinity), the server keeps no sessions, or its process was restarted just then. After the 404 the client did not begin again, as many do not."
		}
		lostWith(c, &f, &lost)
		c.ReportAs("gave up", f)
	}
	for ; *told < lost.Times; *told++ {
		use := c.Tracker().Row(int(lost.Went[min(*told, len(lost.Went)-1)]))
		c.Say("", c.Server()+" forgot session "+quote(lost.Name)+" (404 in "+frame(lost.N)+"), and the client kept using it ("+frame(use.Request)+") instead of sending initialize.",
			uint64(use.Request), uint64(use.Response), uint64(was.Request), lost.N)
	}
}

// lostWith looks for a call that was lost before the session was: that is what failed.
func lostWith(c *diagnose.Case, f *diagnose.Finding, lost *ledger.Debt) {
	call := latest(c, func(r *session.Row) bool {
		return r.Kind == session.RowCall && r.Ending.Lost() && uint64(r.Request) < lost.N
	})
	if call == nil {
		return
	}
	f.Side, f.Frames = diagnose.Server, append(f.Frames, uint64(call.Request))
	f.Message += " Before that, " + c.Tracker().Name(call.Name) + " (" + frame(call.Request) + ") got no response: the connection broke in the middle of it."
	advise(f, "lost in a call")
}

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

var transportShared = &diagnose.Rule{
	ID: "transport-shared", On: diagnose.Refusals | diagnose.Results,
	Check: func(c *diagnose.Case) {
		diagnose.Shared[spentTransport](c).look(c)
		if c.Method() != mcp.Initialize {
			return
		}
		first := diagnose.Memory[[]uint64](c)
		if c.Exchange == nil || c.Call == nil {
			return
		}
		if c.Refusal == nil {
			if len(*first) == 0 && c.Message.Kind == wire.MsgResult {
				*first = []uint64{c.Call.N, uint64(c.Session.Index)}
			}
			return
		}
		if !c.Refusal.Means(sdkwords.AlreadyInitialized) && !c.Refusal.Says("already connected to a transport") {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " refused initialize (" + frame(c.Call.N) + "): " + said(c.Refusal) + ".",
			Frames:  []uint64{c.Call.N, c.N},
		}
		switch {
		case len(*first) == 0:
			f.Message += " No client initialized it while midwire recorded, so one did before."
		case (*first)[1] == uint64(c.Session.Index):
			return // the same client asked twice
		default:
			f.Message += " Another session was initialized before (" + frame((*first)[0]) + ")."
			f.Frames = append(f.Frames, (*first)[0])
		}
		c.ReportAs("", f)
	},
}
