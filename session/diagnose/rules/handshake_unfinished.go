package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

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
