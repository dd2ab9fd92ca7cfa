package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var handshakeUnfinished = &diagnose.Rule{
	ID:         "handshake-unfinished",
	Title:      "The client does not go on after the response to initialize",
	Severity:   diagnose.Note,
	Confidence: diagnose.Possible,
	Era:        diagnose.Handshake,
	On:         diagnose.Finish,
	Check: func(c *diagnose.Case) {
		in := c.Facts.Init
		if in == nil || !in.OK || c.Blind() || c.Session.Probe || !assigned(c) {
			return
		}
		h, known := c.Ledger.Other(ledger.Handshake, int(in.Row))
		n, _ := c.Ledger.Heard(c.Session.Index, wire.ToServer)
		if !known || h.End == ledger.Done || h.End == ledger.Dropped || n > in.ResponseN || c.T-in.ResponseT < 1e9 {
			return
		}
		f := diagnose.Finding{Frames: []uint64{in.ResponseN, in.N}}
		f.Message = c.Client() + " got the response to initialize (" + frame(in.N) + ") in " + frame(in.ResponseN) +
			" and sent nothing after it, in the " + seconds(c.T-in.ResponseT) + " until the session ended."
		if in.Chosen != in.Requested && in.Chosen != "" {
			f.Severity, f.Confidence, f.Side = diagnose.Warning, diagnose.Likely, diagnose.Client
			f.Message += " It had asked for protocol version " + quote(string(in.Requested)) + ", and the server chose " + quote(string(in.Chosen)) + "."
			f.Cause = "The client does not support the protocol version that the server chose, and closes the session, as the specification says."
			f.Fix = "Use a newer version of the server or of the client, so that both know a common protocol version."
		}
		c.ReportAs("", f)
	},
}
