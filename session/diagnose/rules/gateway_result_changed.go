package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var gatewayResultChanged = rule("gateway-result-changed", diagnose.Pairs, func(c *diagnose.Case) {
	o, i := c.Pair.Outer, c.Pair.Inner
	if o.ResponseN == 0 || i.ResponseN == 0 || o.Method == mcp.Initialize ||
		len(o.Result) >= diagnose.MaxPassage || len(i.Result) >= diagnose.MaxPassage {
		return
	}
	report := func(what string, level diagnose.Severity) {
		c.ReportAs(what, diagnose.Finding{
			Severity: level,
			Message: "The response to " + callName(o) + " differs from what the server sent: " + what + " (" + frame(i.ResponseN) + " of " + c.Flow.Inner.Name + ", " +
				frame(o.ResponseN) + " of " + c.Flow.Outer.Name + ").",
			Frames: []uint64{o.ResponseN, o.N},
		})
	}
	switch {
	case o.IsError && !i.IsError:
		report("the server sent a result, and the client got an error", 0)
		return
	case i.IsError && !o.IsError:
		report("the server sent an error, and the client got a result", diagnose.Warning)
		return
	}
	if o.Method != mcp.ToolsCall || o.IsError {
		return
	}
	failed := func(r []byte) bool { return string(wire.Get(r, "isError")) == "true" }
	if failed(o.Result) != failed(i.Result) {
		report("isError differs", 0)
	}
	if wire.Get(i.Result, "structuredContent") != nil && wire.Get(o.Result, "structuredContent") == nil {
		report("structuredContent is missing", 0)
	}
	if items(o.Result) != items(i.Result) {
		report("content has another number of items", 0)
	}
})

func items(result []byte) (n int) {
	wire.Items(wire.Get(result, "content"), func(int, []byte) bool { n++; return true })
	return n
}
