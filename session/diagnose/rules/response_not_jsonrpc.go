package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseNotJSONRPC = &diagnose.Rule{
	ID:       "response-not-jsonrpc",
	Title:    "The response is JSON but not JSON-RPC",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.Bodies | diagnose.Ends,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Calls == 0 || x.Verb != "POST" || x.Status != 200 || x.IsStream || isSSE(c) {
			return
		}
		r := rowOf(c)
		if r == nil || r.Kind != session.RowCall ||
			r.Verdict != session.VerdictError && r.Verdict != session.VerdictLost ||
			!wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaJSON) {
			return
		}
		f := diagnose.Finding{Frames: headFrames(x), Message: quote(rowName(c)) + " (" + frame(x.RequestN) + ") got 200"}
		switch {
		case c.Kind == bodyKind && r.Verdict == session.VerdictError && c.Frame.Part == wire.Whole:
			if n, _ := wire.ScanMessages(c.Data, func(int, wire.Message) bool { return false }); n > 0 {
				return
			}
			c.ReportAs(rowName(c), with(f, " and a body that is not a JSON-RPC message: "+quote(string(c.Data[:min(len(c.Data), 100)]))+"."))
		case c.Kind == endKind && r.Verdict == session.VerdictLost && c.Clean && x.ResponseHeader("Content-Length") == "0":
			c.ReportAs(rowName(c), with(f, " and an empty body."))
		}
	},
}
