package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var unansweredRequest = &diagnose.Rule{
	ID:       "unanswered-request",
	Title:    "A request got no response and was not cancelled",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	On:       diagnose.Finish,
	Check: func(c *diagnose.Case) {
		if c.Session.Pending == 0 || c.Blind() {
			return
		}
		end := lastOf(c)
		var frames []uint64
		what, waited := "", int64(0)
		for _, d := range c.Ledger.Open(c.Session.Index) {
			if d.Kind != ledger.Response || d.Owes != wire.ToClient || end-d.T < 60e9 {
				continue
			}
			q, asked := question(c, d.Row)
			switch {
			case d.Method == mcp.Listen || d.Method == mcp.TasksResult: // made for waiting
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
		f := diagnose.Finding{Frames: frames, Confidence: diagnose.Likely}
		f.Message = quote(what) + " (" + frame(frames[0]) + ") had no response for " + seconds(waited) + ", until the recording ends."
		if len(frames) > 1 {
			f.Message += " There are " + words.CountOf(len(frames), "such request", "such requests") + "."
		}
		c.ReportAs("", f)
	},
}
