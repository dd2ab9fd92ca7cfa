package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

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
