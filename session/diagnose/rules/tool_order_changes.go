package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolOrderChanges = &diagnose.Rule{
	ID:       "tool-order-changes",
	Title:    "The same tools are listed in another order each time",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "Clients cache the list, and models cache their prompt. Another order is another text: no cache entry matches any more, and every turn of the model costs the full price.",
		Wire:  "Two complete tools/list results with the same names in another order.",
		Cause: "The server lists its tools from a hash table, or in the order in which its parts become ready.",
		Fix:   "In the server: sort the tools, or keep the order of registration.",
		Spec:  "2026-07-28 server/tools: Listing Tools",
		Example: `< {"tools":[{"name":"read",…},{"name":"write",…}],…}
< {"tools":[{"name":"write",…},{"name":"read",…}],…}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || wire.Get(c.Call.Params, "cursor") != nil || c.Result("nextCursor") != nil {
			return
		}
		now := listing{n: c.N}
		wire.Items(c.Result("tools"), func(i int, tool []byte) bool {
			h := wire.Hash(wire.Get(tool, "name"))
			now.names += h
			now.order += h * (2*uint64(i) + 1)
			now.count++
			return true
		})
		s := diagnose.State[listing](c)
		if s.n != 0 && s.names == now.names && s.count == now.count && s.order != now.order {
			c.ReportAs("", diagnose.Finding{
				Message: "The tools in " + frame(c.N) + " are those of " + frame(s.n) + " in another order.",
				Frames:  []uint64{c.N, s.n},
			})
		}
		*s = now
	},
}

// listing is a list of tools: a sum that does not depend on the order, and one
// that does.
type listing struct {
	n            uint64
	names, order uint64
	count        int
}
