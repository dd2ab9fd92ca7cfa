package rules

import (
	"bytes"
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var streamAfterResponse = &diagnose.Rule{
	ID:       "stream-after-response",
	Title:    "A response stream continues after the response",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means: "The stream of a request should end with the response. Clients stop reading there: later messages are lost. A stream that stays open blocks a connection, of which browsers have only six.",
		Wire:  "On the stream of a POST a message follows the response, or the stream stays open for seconds.",
		Cause: "The server keeps the stream for later notifications, or does not close it; or a gateway keeps it open.",
		Fix:   "In the server: close the stream after the response. Send later notifications on the stream of a GET (2026-07-28: of subscriptions/listen).",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `< data: {"jsonrpc":"2.0","id":1,"result":{…}}
< data: {"jsonrpc":"2.0","method":"notifications/message",…}`,
	},
	On: diagnose.SSE | diagnose.Ends,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "POST" || x.Calls != 1 || !x.IsStream || isSSE(c) || c.Session == nil {
			return
		}
		r := rowOf(c)
		if r == nil || r.Kind != session.RowCall || r.Response == 0 || r.End == 0 {
			return
		}
		switch {
		case c.Kind == sseKind && (bytes.HasPrefix(c.SSE.Data, []byte("{")) || bytes.HasPrefix(c.SSE.Data, []byte("["))):
			c.ReportAs("message", diagnose.Finding{
				Message: "The stream of " + frame(uint64(x.RequestN)) + " had another message (" + frame(c.N) + ") after the response (" + frame(uint64(r.Response)) + ").",
				Frames:  []uint64{c.N, uint64(r.Response), uint64(x.RequestN)},
			})
		case c.Kind == endKind && c.T-r.End > tooLongOpen:
			c.ReportAs("open", diagnose.Finding{
				Message: "The stream of " + frame(uint64(x.RequestN)) + " stayed open for " + strconv.FormatInt((c.T-r.End)/1e9, 10) + " s after the response (" +
					frame(uint64(r.Response)) + ").",
				Frames: []uint64{c.N, uint64(r.Response), uint64(x.RequestN)},
			})
		}
	},
}

const tooLongOpen = 5e9 // nanoseconds
