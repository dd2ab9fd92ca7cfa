package rules

import (
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var streamBuffered = &diagnose.Rule{
	ID:       "stream-buffered",
	Title:    "Progress arrives all at once, together with the response",
	Severity: diagnose.Warning,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "Notifications that the server sent during a call reached the client in one burst at its end. The progress is useless then, clients that wait for it time out, and requests of the server to the client deadlock.",
		Wire:  "The stream of a call is silent for a long time; then several progress notifications and the response arrive within milliseconds.",
		Cause: "A proxy buffers responses, something compresses them, or the server does not flush after an event.",
		Fix:   "In the gateway: switch response buffering and compression off for the MCP endpoint. In the server: flush after each event, and send X-Accel-Buffering: no.",
		Spec:  "2026-07-28 basic/transports: Receiving Messages",
		Example: `> tools/call                         0.000 s
< progress 1, 2, 3, 4, response      9.412 s  (all of them)`,
	},
	On: diagnose.Results,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || !x.IsStream || c.Call == nil || c.Call.X != x.X || c.Call.Progress < 3 || c.Row < 0 {
			return
		}
		row := c.Tracker().Row(int(c.Row))
		silent, burst := x.FirstEventT-x.RequestT, c.T-x.FirstEventT
		if row.Verdict != session.VerdictOK || c.Call.Dir != wire.ToServer || silent < 2e9 || burst > 20e6 {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Confidence: diagnose.Likely,
			Message: strconv.Itoa(c.Call.Progress) + " progress notifications and the response to " + c.Call.Method + " arrived within " + strconv.FormatInt(burst/1e6, 10) +
				" ms, after " + strconv.FormatInt(silent/1e9, 10) + " seconds of silence.",
			Frames: []uint64{c.Call.N, c.N},
		})
	},
}
