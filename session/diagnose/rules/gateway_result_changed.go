package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var gatewayResultChanged = &diagnose.Rule{
	ID:       "gateway-result-changed",
	Title:    "The gateway changes the server's response",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The client gets another result than the server sent: structuredContent is missing, a failure looks like a success, or a content item is missing.",
		Wire:  "The same response, in front of and behind the gateway, with different members.",
		Cause: "The gateway was built for an older protocol version and knows only content and isError, or converts results to text.",
		Fix:   "In the gateway: pass results through unchanged, including unknown members.",
		Spec:  "2025-11-25 server/tools: Tool Result",
		Example: `behind    < {"content":[…],"structuredContent":{"temperature":21}}
in front  < {"content":[…]}`,
	},
	On: diagnose.Pairs,
	Check: func(c *diagnose.Case) {
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
	},
}

func items(result []byte) (n int) {
	wire.Items(wire.Get(result, "content"), func(int, []byte) bool { n++; return true })
	return n
}
