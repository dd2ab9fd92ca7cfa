package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var unansweredRequest = rule("unanswered-request", diagnose.Finish|onGivingUp, func(c *diagnose.Case) {
	if c.N != 0 {
		noHandshake(c)
		return
	}
	if c.Session.Pending == 0 || c.Blind() {
		return
	}
	end := c.Until()
	var frames []uint64
	what, waited := "", int64(0)
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if d.Kind != ledger.Response || d.Owes != wire.ToClient || end-d.T < 60e9 {
			continue
		}
		q, asked := question(c, d.Row)
		switch {
		case mcp.StaysOpen(d.Method) || d.Method == mcp.TasksResult: // made for waiting
		case asked && isOpen(&q): // it is the client's turn
		default:
			if what == "" {
				what, waited = d.Method, end-d.T
			}
			frames = append(frames, d.N)
		}
	}
	if what == "" {
		return
	}
	f := diagnose.Finding{Frames: frames}
	f.Message = quote(what) + " (" + frame(frames[0]) + ") had no response for " + seconds(waited) + ", until the recording ends."
	if len(frames) > 1 {
		f.Message += " There are " + words.CountOf(len(frames), "such request", "such requests") + "."
	}
	c.ReportAs("", f)
})

// noHandshake looks at an initialize without a response: one that was waited for long
// enough, or not at all.
func noHandshake(c *diagnose.Case) {
	g, ok := gaveUp(c)
	if !ok || g.Method != mcp.Initialize || g.Owes != wire.ToClient || c.IsModern() || overStdio(c) {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, g.N}}
	switch {
	case g.waited >= 9e9: // that is no start that takes its time
		f.Severity = diagnose.Error
		f.Message = g.begin(c) + " No response had come."
		advise(&f, "taken and not answered")
		c.ReportAs("no handshake", f)
	case c.Kind == endKind && c.Exchange.Verb == "GET" && g.waited < 1e9:
		f.Severity, f.Side = diagnose.Warning, diagnose.Client
		f.Message = c.Client() + " closed the stream (" + frame(c.N) + ") " + number(g.waited/1e6) + " ms after it sent initialize (" + frame(g.N) + "), and did not wait for the response."
		advise(&f, "status taken for a failure")
		c.ReportAs("left at once", f)
	}
}
