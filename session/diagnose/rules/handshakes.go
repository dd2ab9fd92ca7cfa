package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var handshakeSkipped = rule("handshake-skipped", diagnose.Refusals, func(c *diagnose.Case) {
	if c.Call == nil || c.Call.Modern || exempt[c.Call.Method] || initOf(c) != nil || !blamesHandshake(c.Refusal) {
		return
	}
	how := ""
	if c.Session.IDSource == session.IDForeign {
		how = " It had a session id of its own, " + quote(c.Session.ID) + ", that no server issued here."
	}
	c.Say("", c.Client()+" sent "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") before any initialize, and the server refused: "+said(c.Refusal)+"."+how,
		c.Call.N, c.N)
})

var handshakeForgotten = rule("handshake-forgotten", diagnose.Refusals, func(c *diagnose.Case) {
	in := initOf(c)
	if c.Session != nil && c.Session.State == session.StateClosed { // its client ended it
		return
	}
	if c.Call == nil && in != nil && in.OK {
		forgottenAtOnce(c, in)
		return
	}
	if c.Call == nil || in == nil || !in.OK || c.Call.Modern || c.Call.Method == mcp.Initialize ||
		c.Call.N < in.ResponseN || c.Facts.Results > 0 && !forgetsLater(c) {
		return
	}
	// A request that did not wait for the end of the handshake is a race.
	eager := c.Facts.Initialized == 0 || c.Call.N < c.Facts.Initialized
	switch {
	case !blamesHandshake(c.Refusal) && (c.Session.ID == "" || !blamesSession(c.Refusal)) || c.Refusal.Status >= 500:
		return
	case c.Exchange != nil && c.Session.ID != "" && c.Exchange.SessionID != c.Session.ID:
		return // it lacks the id, or carries another
	case eager && (c.Exchange == nil || c.Refusal.Code == mcp.CodeInvalidParams || c.Refusal.Code == 0):
		return
	case c.Session.Transport == session.TransportSSE:
		return
	}
	f := diagnose.Finding{
		Message: "initialize (" + frame(in.N) + ") succeeded, and the next request, " + c.Call.Method + " (" + frame(c.Call.N) + "), was refused: " + said(c.Refusal) + ".",
		Frames:  []uint64{c.Call.N, c.N, in.N, in.ResponseN},
	}
	if n := c.Facts.Results; n > 0 {
		f.Message = "initialize (" + frame(in.N) + ") and " + words.Count(n, "request") + " after it succeeded, and then " + c.Call.Method + " (" + frame(c.Call.N) + ") was refused as if there had been no handshake: " +
			said(c.Refusal) + "."
		advise(&f, "process of the handshake is gone")
	}
	if c.Exchange != nil && c.Session.ID == "" {
		f.Message += " No response carried an Mcp-Session-Id."
		f.Cause = "The server issued no session id and still expects to find the session: it creates a new transport for every request, or what stands before it removes the header or asks another instance."
		f.Remedies = append(slices.Clone(c.Rule().Help().Remedies), inGateway("let the header Mcp-Session-Id through, both ways, and send all requests of a session to one instance."))
	}
	if cookie := droppedCookie(c.Exchange); cookie != "" {
		f.Side, f.Brief = diagnose.Client, "cookie not sent back"
		f.Message += " The refusal sets the cookie " + quote(cookie) + ", by which a load balancer keeps a session at one instance, and the client sent no cookie."
		advise(&f, "cookie not sent back")
	}
	c.ReportAs("", f)
})

// droppedCookie names the cookie of a load balancer that a client without cookies gets anew,
// "" for none.
func droppedCookie(x *session.Exchange) (name string) {
	if x != nil && x.Header("Cookie") == "" {
		name, _, _ = strings.Cut(x.ResponseHeader("Set-Cookie"), "=")
	}
	if !hasWord(name, "route", "affinity", "sticky", "awsalb", "ingress", "serverid", "gclb") {
		return ""
	}
	return name
}

// forgetsLater says whether a server that has responded with results says that the
// handshake is missing. Where there is a session id, that is what it lost.
func forgetsLater(c *diagnose.Case) bool {
	return c.Session.ID == "" && c.Refusal.Code != mcp.CodeInvalidParams && blamesHandshake(c.Refusal)
}

// forgottenAtOnce looks at notifications/initialized: the first message that needs the
// session.
func forgottenAtOnce(c *diagnose.Case, in *diagnose.Init) {
	x := c.Exchange
	if x == nil || x.Verb != "POST" || x.Messages == 0 || x.Calls > 0 || c.Session.ID == "" || c.Facts.Results > 0 ||
		x.SessionID != c.Session.ID || !blamesSession(c.Refusal) && !blamesHandshake(c.Refusal) || x.Status >= 500 {
		return
	}
	next := "the next message (" + frame(x.RequestN) + ")"
	if name := rowName(c); name != "" {
		next = "the next message, " + name + " (" + frame(x.RequestN) + "),"
	}
	f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN), c.N, in.N, in.ResponseN}}
	f.Message = "initialize (" + frame(in.N) + ") succeeded and issued session id " + quote(c.Session.ID) + ", and " + next +
		" was refused as of an unknown session although it carries the id: " + said(c.Refusal) + "."
	f.Remedies = append(slices.Clone(c.Rule().Help().Remedies), inGateway("let the header Mcp-Session-Id through, both ways."))
	if passedOn(x) || x.ResponseHeader("Via") != "" {
		f.Side = diagnose.Unclear // what stands between may have removed it
	}
	c.ReportAs("", f)
}

var handshakeRace = rule("handshake-race", diagnose.Results|diagnose.Refusals, func(c *diagnose.Case) {
	in := initOf(c)
	if c.Call == nil || in == nil || c.Call.Modern || c.Call.Dir != '>' || exempt[c.Call.Method] ||
		c.Call.N < in.N {
		return
	}
	pipelined := in.ResponseN == 0 || c.Call.N < in.ResponseN
	// TypeScript servers do not wait for notifications/initialized: their
	// "Server not initialized" has another cause then.
	eager := !pipelined && (c.Facts.Initialized == 0 || c.Call.N < c.Facts.Initialized) &&
		(c.Refusal == nil || !c.Refusal.Means(sdkwords.InitializeMissing))
	if !pipelined && !eager {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.Call.N, in.N}}
	if in.ResponseN != 0 {
		f.Frames = append(f.Frames, in.ResponseN)
	}
	if c.Facts.Initialized != 0 {
		f.Frames = append(f.Frames, c.Facts.Initialized)
	}
	when := "before initialize (" + frame(in.N) + ") got its response"
	if eager {
		when = "before notifications/initialized"
	}
	f.Message = c.Client() + " sent " + c.Call.Method + " (" + frame(c.Call.N) + ") " + when
	switch {
	case c.Refusal != nil && blamesHandshake(c.Refusal):
		f.Message += ", and the server refused it: " + said(c.Refusal) + "."
		if eager && c.Facts.Initialized == 0 {
			otherwise(c, &f)
		}
		c.ReportAs("refused", f)
	case c.Refusal == nil && pipelined && in.ResponseN != 0:
		f.Message += ". This server responded; other servers do not."
		f.Severity = diagnose.Warning
		c.ReportAs("served", f)
	}
})

// otherwise says by what name the client may have sent notifications/initialized.
func otherwise(c *diagnose.Case, f *diagnose.Finding) {
	in := c.Facts.Init
	other := latest(c, func(r *session.Row) bool {
		n := uint64(r.Request)
		return r.Kind == session.RowNotification && r.Dir == wire.ToServer && n > in.N && n < c.Call.N
	})
	if other == nil {
		return
	}
	f.Frames = append(f.Frames, uint64(other.Request))
	f.Message += " It had sent " + quote(c.Tracker().Name(other.Name)) + " (" + frame(other.Request) + ") instead of notifications/initialized."
}

// exempt are the requests that may come at any time of the handshake.
var exempt = map[string]bool{mcp.Initialize: true, mcp.Ping: true, mcp.Discover: true}

var handshakeUnfinished = &diagnose.Rule{
	ID:      "handshake-unfinished",
	On:      diagnose.Results | diagnose.SSE | diagnose.Finish,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		came := diagnose.State[initResponse](c)
		switch {
		case c.Kind == sseKind:
			came.event(c)
			return
		case c.N != 0:
			came.odd = oddMember(c.Message.Result, mcp.Version(text(c.Result("protocolVersion"))))
			came.stream = c.Exchange != nil && c.Exchange.IsStream
			return
		}
		in := c.Facts.Init
		if in == nil || !in.OK || c.Blind() || c.Session.Probe {
			return
		}
		differs := in.Chosen != in.Requested && in.Chosen != ""
		if !assigned(c) && (!differs || later(c, in.ResponseT)) {
			return
		}
		h, known := c.Ledger.Other(ledger.Handshake, int(in.Row))
		n, _ := c.Ledger.Heard(c.Session.Index, wire.ToServer)
		if !known || h.End == session.Served || h.End == session.Withdrawn || n > in.ResponseN {
			return
		}
		waited := c.Until() - in.ResponseT
		atOnce := waited < 1500e6
		if atOnce && !differs && (came.odd == "" || c.Session.State != session.StateClosed) {
			return // it may only have looked whether the server is there
		}
		f := diagnose.Finding{Frames: []uint64{in.ResponseN, in.N}}
		f.Message = c.Client() + " got the response to initialize (" + frame(in.N) + ") in " + frame(in.ResponseN) +
			" and sent nothing after it, in the " + seconds(waited) + " until the recording ended."
		if !atOnce && !differs && came.stream {
			came.form(&f)
		}
		if atOnce && !differs {
			f.Message = c.Client() + " got the response to initialize (" + frame(in.N) + ") in " + frame(in.ResponseN) +
				" and ended the session at once: no notifications/initialized came. The response has the member " + quote(came.odd) + ", which " + string(in.Chosen) + " does not define."
			advise(&f, "handshake only looked at")
		}
		if differs {
			leavesForVersion(c, &f, in, atOnce)
			f.Message += " It had asked for protocol version " + quote(string(in.Requested)) + ", and the server chose " + quote(string(in.Chosen)) + "."
		}
		c.ReportAs("", f)
	},
}

// leavesForVersion says who is to blame when a client leaves because of a version.
func leavesForVersion(c *diagnose.Case, f *diagnose.Finding, in *diagnose.Init, atOnce bool) {
	advise(f, "chosen version not known")
	switch {
	case in.Requested.IsPublished() && (in.Chosen > in.Requested || !in.Chosen.IsPublished()):
		f.Severity = diagnose.Warning
		advise(f, "one version for all")
	case !atOnce:
		f.Severity = diagnose.Warning
	}
	if !assigned(c) {
		f.Severity, f.Seen = diagnose.Note, true // what follows may be taken for another session
	}
}

// oddMember is a member of an InitializeResult that its protocol version does not
// define, "" for none: servers may have any, and strict clients refuse them.
func oddMember(result []byte, version mcp.Version) (odd string) {
	known := map[string]bool{"name": true, "version": true}
	if version >= mcp.V20250618 {
		known["title"] = true
	}
	if version >= mcp.V20251125 {
		known["description"], known["icons"], known["websiteUrl"] = true, true, true
	}
	wire.Each(result, func(key, _ []byte) bool {
		switch string(key) {
		case "protocolVersion", "capabilities", "serverInfo", "instructions", "_meta":
		default:
			odd = string(key)
		}
		return odd == ""
	})
	wire.Each(wire.Get(result, "serverInfo"), func(key, _ []byte) bool {
		if !known[string(key)] && odd == "" {
			odd = "serverInfo." + string(key)
		}
		return odd == ""
	})
	return odd
}

type initResponse struct {
	odd    string // a member that its protocol version does not define
	stream bool
	name   string // of its event, "" for none
	before int    // events before it on its stream
}

// event notes the latest event before the response to a POST.
func (r *initResponse) event(c *diagnose.Case) {
	if x := c.Exchange; x.Verb == "POST" && c.Facts != nil && (c.Facts.Init == nil || !c.Facts.Init.OK) {
		r.name, r.before = c.SSE.Name, x.Events-1
	}
}

// form says what in the form of the response a client may not be able to read.
func (r *initResponse) form(f *diagnose.Finding) {
	f.Message += " The response came whole, on an event stream"
	switch {
	case r.before > 0:
		f.Message += " with " + words.CountOf(r.before, "event", "events") + " before it."
		advise(f, "first event taken")
	case r.name == "":
		f.Message += ", as an event without a name, which is a message."
		advise(f, "event without a name dropped")
	default:
		f.Message += "."
		advise(f, "waits for the end of the stream")
	}
}
