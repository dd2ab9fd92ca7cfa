package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var callLoop = &diagnose.Rule{
	ID:         "call-loop",
	Title:      "The same call fails the same way again and again",
	Severity:   diagnose.Note,
	Side:       diagnose.Unclear, // the tool, or the client that does not learn
	Confidence: diagnose.Likely,
	On:         diagnose.Results | diagnose.Errors,
	Methods:    []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet, mcp.Complete},
	Check: func(c *diagnose.Case) {
		failing := diagnose.State[int](c) // how many calls have failed and not succeeded since
		failed := c.Message.Kind == wire.MsgError || string(c.Result("isError")) == "true"
		if c.Call == nil || c.Session == nil || c.Dir != wire.ToClient || !failed && *failing == 0 {
			return
		}
		in, what := c.Session.Index, sameParams(c.Call)
		if !failed {
			c.Progress(in, what)
			return
		}
		*failing++
		how := c.Message.Error
		if c.Message.Kind == wire.MsgResult {
			how = c.Result("content")
		}
		if s := c.Again(in, what, hashOf(how)); s.Count >= 5 {
			c.ReportAs(number(what>>1), diagnose.Finding{
				Message: c.Client() + " sent " + about(c.Call) + " with the same parameters " + often(s) + ", and it failed the same way each time (" + frame(c.N) + ").",
				Frames:  append([]uint64{c.N, c.Call.N}, s.Frames...),
			})
		}
	},
}
