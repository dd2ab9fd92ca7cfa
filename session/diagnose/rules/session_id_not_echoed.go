package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionIDNotEchoed = &diagnose.Rule{
	ID:       "session-id-not-echoed",
	Title:    "The client does not send the assigned session id",
	Brief:    "id not sent back",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	Header:   mcp.HeaderSessionID,
	Right:    &diagnose.Right{Step: "id sent back", Does: "send it back"},
	On:       diagnose.Results | diagnose.Notifications | diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		in, x := initOf(c), c.Exchange
		if x == nil || in == nil || c.Modern || c.Call == nil && c.Dir == wire.ToClient ||
			x.Verb != "POST" || x.SessionID != "" {
			return
		}
		if _, due := c.Ledger.Other(ledger.SessionID, int(in.Row)); !due {
			return
		}
		method := c.Method()
		if exempt[method] || uint64(x.RequestN) < in.ResponseN {
			return
		}
		f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN), in.ResponseN}}
		what := c.Server() + " issued session id " + quote(c.Session.ID) + " (" + frame(in.ResponseN) + "), and the client sent "
		if c.Refusal != nil {
			f.Message = what + method + " (" + frame(x.RequestN) + ") without it. It was refused: " + quote(c.Refusal.Text) + "."
			f.Frames = []uint64{uint64(x.RequestN), c.N, in.ResponseN}
		} else {
			f.Message = what + method + " (" + frame(x.RequestN) + ") without it."
		}
		c.ReportAs("", f)
	},
}
