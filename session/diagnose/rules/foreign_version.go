package rules

import (
	"maps"
	"slices"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

// since says in which revisions a method exists, for those that not all
// revisions with a handshake have (their schemas).
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
	Title:    "A message belongs to another revision than the one that was agreed on",
	Severity: diagnose.Error,
	Fault:    diagnose.Client,
	Era:      diagnose.Handshake,
	Lint:     "L-18",
	Help: diagnose.Help{
		Means: "The two sides agreed on a revision at initialize. This message does not exist there; the other side is right not to know it.",
		Wire:  "A method such as elicitation/create or tasks/get in a session whose revision does not have it.",
		Cause: "The sender looks at what it can do itself and not at the protocolVersion that was chosen.",
		Fix:   "In the side that sends it: remember the protocolVersion of the answer to initialize, and do without what it does not have; or support and negotiate a newer revision on both sides.",
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
			Message: the(sender(c)) + " sent " + quote(method) + " (" + frame(c.N) + "). The session is of revision " + string(rev) + " (" +
				frame(c.Facts.Init.ResponseN) + "), and this message exists from " + string(in.from) + " on.",
			Frames: []uint64{c.N, c.Facts.Init.ResponseN},
			Fault:  sender(c),
		})
	},
}
