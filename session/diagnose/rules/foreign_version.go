package rules

import (
	"maps"
	"slices"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

// since says in which protocol versions a method exists, for those that not all
// protocol versions with a handshake have (their schemas).
var since = map[string]struct{ from, to mcp.Version }{
	mcp.ElicitationCreate:         {mcp.V20250618, mcp.V20251125},
	mcp.NotifyElicitationComplete: {mcp.V20251125, mcp.V20251125},
	mcp.TasksGet:                  {mcp.V20251125, ""},
	mcp.TasksResult:               {mcp.V20251125, mcp.V20251125},
	mcp.TasksList:                 {mcp.V20251125, mcp.V20251125},
	mcp.TasksCancel:               {mcp.V20251125, ""},
	mcp.NotifyTasksStatus:         {mcp.V20251125, mcp.V20251125},
	mcp.TasksUpdate:               {mcp.V20260728, ""},
	mcp.NotifyTasks:               {mcp.V20260728, ""},
	mcp.Discover:                  {mcp.V20260728, ""},
	mcp.Listen:                    {mcp.V20260728, ""},
	mcp.NotifyAcknowledged:        {mcp.V20260728, ""},
}

var foreignVersion = &diagnose.Rule{
	ID:       "foreign-version",
	Title:    "A message belongs to another protocol version than the negotiated one",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The two sides negotiated a protocol version in initialize. That version does not have this message; the other side correctly does not know it.",
		Wire:  "A method such as elicitation/create or tasks/get in a session whose protocol version does not have it.",
		Cause: "The sender checks its own features and not the negotiated protocolVersion.",
		Fix:   "In the side that sends it: remember the protocolVersion of the response to initialize, and do not use later features; or support and negotiate a newer protocol version on both sides.",
		Spec:  "2025-11-25 basic/lifecycle: Operation",
		Example: `< {"protocolVersion":"2025-03-26",…}
< {"jsonrpc":"2.0","id":1,"method":"elicitation/create",…}`,
	},
	On:      diagnose.Requests | diagnose.Notifications,
	Methods: slices.Sorted(maps.Keys(since)),
	Covers:  []string{"client-capability-missing", "server-capability-missing", "undeclared-notification"},
	Check: func(c *diagnose.Case) {
		if !c.Facts.Negotiated() || !assigned(c) || !published(c.Facts.Init.Chosen) {
			return
		}
		method, rev := string(c.Message.Method), c.Facts.Init.Chosen
		in := since[method]
		if rev >= in.from && (in.to == "" || rev <= in.to) {
			return
		}
		c.ReportAs(method, diagnose.Finding{
			Severity: softBefore2025June(c),
			Message: the(sender(c)) + " sent " + quote(method) + " (" + frame(c.N) + "). The session has protocol version " + string(rev) + " (" +
				frame(c.Facts.Init.ResponseN) + "), and this message exists since " + string(in.from) + ".",
			Frames: []uint64{c.N, c.Facts.Init.ResponseN},
			Side:   sender(c),
		})
	},
}
