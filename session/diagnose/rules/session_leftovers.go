package rules

import (
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionLeftovers = &diagnose.Rule{
	ID:       "session-leftovers",
	Title:    "A server of 2026-07-28 still uses features of sessions",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "2026-07-28 has no session ids, no GET streams and no resumption. A server that still offers them invites clients to rely on features that do not exist.",
		Wire:  "An Mcp-Session-Id in the response to a request of 2026-07-28, event ids or retry in its stream, or a response other than 405 to a GET or DELETE of that protocol version.",
		Cause: "The server runs 2026-07-28 on its old transport, and does not disable sessions and the event store.",
		Fix:   "In the server: for requests of 2026-07-28 send no session id, no event ids and no retry, and respond to GET and DELETE with 405 and Allow: POST. Requests of older protocol versions may keep them.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Earlier protocol versions",
		Example: `> POST /mcp  MCP-Protocol-Version: 2026-07-28
< 200 text/event-stream  Mcp-Session-Id: 9f1c…
  id: 1
  data: {"jsonrpc":"2.0","id":1,"result":{…}}`,
	},
	On: diagnose.HTTPResponses | diagnose.SSE,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Facts == nil || !c.Facts.ServesModern || c.Row < 0 {
			return
		}
		if x.Calls == 0 {
			if c.Kind == session.EventResponse {
				plainLeftover(c)
			}
			return
		}
		if !c.Tracker().Row(int(c.Row)).Modern {
			return
		}
		what := ""
		switch {
		case c.SSE.HasID && c.SSE.ID != "" && x.Events > 0:
			what = "an event id, " + quote(c.SSE.ID)
		case c.SSE.Retry != "" && x.Events > 0:
			what = "retry, " + quote(c.SSE.Retry)
		case x.Events == 0 && x.Status < 300 && x.ResponseHeader(mcp.HeaderSessionID) != "":
			what = "a session id, " + quote(x.ResponseHeader(mcp.HeaderSessionID))
		default:
			return
		}
		c.ReportAs(what[:8], diagnose.Finding{
			Message: "The response to the request of 2026-07-28 in " + frame(uint64(x.RequestN)) + " has " + what + " (" + frame(c.N) + ").",
			Frames:  []uint64{c.N, uint64(x.RequestN)},
		})
	},
}

// plainLeftover looks at the response to a GET or DELETE of 2026-07-28.
func plainLeftover(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "GET" && x.Verb != "DELETE" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() {
		return
	}
	switch {
	case x.Status == 405 || x.Status >= 500 || x.Status == 401 || x.Status == 403 || x.Status == 429:
		return
	}
	c.ReportAs(x.Verb, diagnose.Finding{
		Message: "The server responded to a " + x.Verb + " of 2026-07-28 (" + frame(uint64(x.RequestN)) + ") with " + strconv.Itoa(int(x.Status)) + " instead of 405.",
		Frames:  []uint64{c.N, uint64(x.RequestN)},
	})
}
