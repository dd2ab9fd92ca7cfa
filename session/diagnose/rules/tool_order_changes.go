package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolOrderChanges = &diagnose.Rule{
	ID: "tool-order-changes", On: diagnose.Results, Methods: []string{mcp.ToolsList},
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
			c.Say("", "The tools in "+frame(c.N)+" are those of "+frame(s.n)+" in another order.", c.N, s.n)
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
