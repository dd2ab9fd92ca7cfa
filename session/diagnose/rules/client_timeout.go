package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var clientTimeout = &diagnose.Rule{
	ID:       "client-timeout",
	Title:    "A request reached the time limit of the side that sent it",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	On:       diagnose.Notifications | diagnose.Ends,
	Covers:   []string{"late-response"},
	Check: func(c *diagnose.Case) {
		switch {
		case c.Kind == session.EventEnd:
			hungUp(c)
		case string(c.Message.Method) == mcp.NotifyCancelled && c.Parent != nil && c.Parent.Dir == c.Dir:
			reason := text(c.Param("reason"))
			if limit := limitAt(c.T - c.Parent.T); limit != 0 || saysTimeout(reason) {
				timedOut(c, c.Parent, limit, reason)
			}
		}
	},
}

// hungUp looks at the end of a connection without a response.
func hungUp(c *diagnose.Case) {
	if c.By != wire.ByClient || c.Row < 0 || c.Facts == nil {
		return
	}
	r := c.Tracker().Row(int(c.Row))
	limit := limitAt(c.T - r.T)
	if limit == 0 || r.Kind != session.RowCall || r.Dir != wire.ToServer || r.Response != 0 ||
		c.Tracker().Name(r.Name) == mcp.Listen {
		return
	}
	c.ReportAs("", diagnose.Finding{
		Confidence: diagnose.Likely,
		Message: c.Client() + " waited " + number(limit) + " s for the response to " + c.Tracker().Name(r.Name) + " (" +
			frame(r.Request) + ") and closed the connection (" + frame(c.N) + "). This is a common time limit.",
		Frames: []uint64{c.N, uint64(r.Request)},
	})
}

func timedOut(c *diagnose.Case, call *diagnose.Call, limit int64, reason string) {
	f := diagnose.Finding{Side: sender(c), Confidence: diagnose.Likely, Frames: []uint64{c.N, call.N}}
	f.Message = c.Named(sender(c)) + " cancelled " + about(call) + " after " + seconds(c.T-call.T) + " (" + frame(c.N) + ")"
	if reason != "" {
		f.Message += ": " + quote(reason)
	} else if limit != 0 {
		f.Message += ", which is a common time limit"
	}
	f.Message += "."
	switch {
	case call.Token == "":
		f.Message += " The request had no progress token, so no progress could extend the limit."
	case call.Progress == 0:
		f.Message += " The request had a progress token, and no progress arrived."
		f.Side = sideOf(c.Dir.Opposite())
		f.Fix = "In the side that responds: send progress with the token of the request every few seconds. In the side that sends the request: let progress reset the time limit, and raise it for slow tools."
	default:
		f.Message += " Progress arrived " + words.CountOf(call.Progress, "time", "times") + ", and did not extend the limit."
		f.Fix = "In the side that sends the request: let progress reset the time limit (resetTimeoutOnProgress in the TypeScript SDK), or raise it for slow tools."
	}
	c.ReportAs("", f)
}

// limitAt returns the usual time limit, in seconds, that a time in nanoseconds
// comes close to; 0 for none.
func limitAt(ns int64) int64 {
	for _, s := range [...]int64{10, 30, 60, 120, 300} {
		if diff := ns - s*1e9; diff < s*1e7 && diff > -s*1e7 {
			return s
		}
	}
	return 0
}

func saysTimeout(reason string) bool {
	reason = strings.ToLower(reason)
	return strings.Contains(reason, "timed out") || strings.Contains(reason, "timeout") || strings.Contains(reason, "deadline exceeded")
}
