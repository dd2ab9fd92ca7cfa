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
	ID: "foreign-version", On: diagnose.Requests | diagnose.Notifications, Methods: slices.Sorted(maps.Keys(since)),
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
			Message: c.Named(sender(c)) + " sent " + quote(method) + " (" + frame(c.N) + "). The session has protocol version " + string(rev) + " (" +
				frame(c.Facts.Init.ResponseN) + "), and this message exists since " + string(in.from) + ".",
			Frames: []uint64{c.N, c.Facts.Init.ResponseN},
			Side:   sender(c),
		})
	},
}
