package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
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
		end := int64(0)
		for _, s := range c.Sessions() {
			end = max(end, s.Last)
		}
		var frames []uint64
		what, waited := "", int64(0)
		for _, i := range c.Session.Rows() {
			r := c.Tracker().Row(int(i))
			if r.Verdict != session.VerdictPending || r.Kind != session.RowCall || r.Dir != wire.ToServer ||
				end-r.T < 60e9 {
				continue
			}
			q, asked := question(c, int32(i))
			switch name := c.Tracker().Name(r.Name); {
			case name == mcp.Listen || name == mcp.TasksResult: // made for waiting
			case asked && isOpen(&q): // it is the client's turn
			default:
				if what == "" {
					what, waited = name, end-r.T
				}
				frames = append(frames, uint64(r.Request))
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
