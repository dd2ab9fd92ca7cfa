package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var pingRefused = &diagnose.Rule{
	ID: "ping-refused", On: diagnose.Errors, Methods: []string{mcp.Ping},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || byTransport(c) {
			return
		}
		r := diagnose.Refusal{Text: errorText(c), Code: errorCode(c)}
		if blamesSession(&r) || missesHandshake(&r) && c.Facts != nil && c.Facts.Negotiated() {
			return // what is lost is the session
		}
		other := diagnose.Server
		if sender(c) == diagnose.Server {
			other = diagnose.Client
		}
		c.ReportAs(sender(c).String(), diagnose.Finding{
			Side: sender(c),
			Message: c.Named(sender(c)) + " responded to the ping of the " + other.String() + " (" + frame(c.Call.N) +
				") with the error " + number(r.Code) + ", " + quote(r.Text) + ".",
			Frames: []uint64{c.N, c.Call.N},
		})
	},
}
