package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var handshakeUnfinished = &diagnose.Rule{
	ID:         "handshake-unfinished",
	Title:      "The client does not go on after the response to initialize",
	Severity:   diagnose.Note,
	Confidence: diagnose.Possible,
	Era:        diagnose.Handshake,
	On:         diagnose.Results | diagnose.Finish,
	Check: func(c *diagnose.Case) {
		odd := diagnose.State[string](c) // a member of the response that its version does not define
		if c.N != 0 {
			if c.Method() == mcp.Initialize {
				*odd = oddMember(c.Message.Result, mcp.Version(text(c.Result("protocolVersion"))))
			}
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
		if !known || h.End == ledger.Done || h.End == ledger.Dropped || n > in.ResponseN {
			return
		}
		atOnce := c.T-in.ResponseT < 1e9
		if atOnce && !differs && (*odd == "" || c.Session.State != session.StateClosed) {
			return // it may only have looked whether the server is there
		}
		f := diagnose.Finding{Frames: []uint64{in.ResponseN, in.N}}
		f.Message = c.Client() + " got the response to initialize (" + frame(in.N) + ") in " + frame(in.ResponseN) +
			" and sent nothing after it, in the " + seconds(c.T-in.ResponseT) + " until the session ended."
		if atOnce && !differs {
			f.Side = diagnose.Client
			f.Message = c.Client() + " got the response to initialize (" + frame(in.N) + ") in " + frame(in.ResponseN) +
				" and ended the session at once: no notifications/initialized came. The response has the member " + quote(*odd) + ", which " + string(in.Chosen) + " does not define."
			f.Cause = "The client only looks whether the server is there; or it refuses the response because of a member that it does not know. A client has to ignore members that it does not know."
			f.Fix = "If the client reports an error at this time: update the client, or configure its JSON library to ignore unknown members. Until then, leave the member out in the server. Else nothing is wrong."
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
	f.Cause = "The client does not support the protocol version that the server chose, and closes the session, as the specification says."
	f.Fix = "Use a newer version of the server or of the client, so that both know a common protocol version."
	f.Side = diagnose.Client
	switch {
	case in.Requested.IsPublished() && (in.Chosen > in.Requested || !in.Chosen.IsPublished()):
		f.Side = diagnose.Server
		f.Severity, f.Confidence = diagnose.Warning, diagnose.Likely
		f.Cause = "The server names one version of its own, whatever it is asked for, and the client does not know that one."
		f.Fix = "In the server: respond with the version that was requested where it is supported, otherwise with the latest one that is. In the client: support more versions."
	case !atOnce:
		f.Severity, f.Confidence = diagnose.Warning, diagnose.Likely
	}
	if !assigned(c) {
		f.Severity, f.Confidence = diagnose.Note, diagnose.Possible // what follows may be taken for another session
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
