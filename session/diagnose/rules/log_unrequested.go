package rules

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var logUnrequested = rule("log-unrequested",
	diagnose.Requests|diagnose.Results|diagnose.Errors|diagnose.Settled|diagnose.Notifications,
	checkLog)

// logging is the requests on stdio that asked for log messages: there a message
// does not say which of them it is for.
type logging struct{ rows []int32 }

const maxLogging = 256

// follow notes that a request on stdio began or ended.
func follow(c *diagnose.Case) {
	m := diagnose.Memory[logging](c)
	switch i := slices.Index(m.rows, c.Call.Row); {
	case i >= 0:
		m.rows = slices.Delete(m.rows, i, i+1)
	case len(m.rows) < maxLogging && c.Kind == session.EventMessage && c.Message.Kind == wire.MsgRequest:
		m.rows = append(m.rows, c.Call.Row)
	}
}

func checkLog(c *diagnose.Case) {
	if c.Call != nil {
		if c.Call.LogLevel != "" && c.Call.X == 0 {
			follow(c)
		}
		return
	}
	if string(c.Message.Method) != mcp.NotifyMessage || c.Dir != wire.ToClient || c.Blind() {
		return
	}
	call := c.Parent
	switch {
	case c.Exchange == nil && (call == nil || call.Method != mcp.Listen):
		if len(diagnose.Memory[logging](c).rows) == 0 {
			c.Say("none", c.Server()+" sent a log message ("+frame(c.N)+") while no request ran that asked for log messages.")
		}
	case call == nil || !call.Modern:
	case call.Method == mcp.Listen:
		c.Say("listen", c.Server()+" sent a log message ("+frame(c.N)+") on the stream of a subscription ("+frame(call.N)+"), which carries only the requested changes.",
			c.N, call.N)
	case call.LogLevel == "":
		c.Say("unasked", c.Server()+" sent a log message ("+frame(c.N)+") for "+quote(call.Method)+" ("+frame(call.N)+"), which did not ask for log messages: its _meta has no logLevel.",
			c.N, call.N)
	default:
		level := text(c.Param("level"))
		if has, least := logRank(level), logRank(call.LogLevel); has >= 0 && least >= 0 && has < least {
			c.ReportAs("below", diagnose.Finding{
				Severity: diagnose.Note,
				Message:  c.Server() + " sent a log message of the level " + level + " (" + frame(c.N) + ") for a request that asked for " + call.LogLevel + " and above (" + frame(call.N) + ").",
				Frames:   []uint64{c.N, call.N},
			})
		}
	}
}

// logRank is the weight of a log level, -1 for one that is unknown.
func logRank(level string) int {
	return slices.Index([]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, level)
}
