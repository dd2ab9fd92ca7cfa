package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var structuredContentInvalid = &diagnose.Rule{
	ID:       "structured-content-invalid",
	Title:    "A tool's structuredContent does not fit its outputSchema",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	From:     mcp.V20250618,
	Help: diagnose.Help{
		Means: "The outputSchema of the tool defines its result, and the result does not fit. Many clients validate it and turn the call into an error, so the model never sees a result that the server considers delivered.",
		Wire:  "A tools/call result without isError whose structuredContent does not validate against the tool's outputSchema, or up to 2025-11-25 is not an object.",
		Cause: "The schema was generated from types, and the value is built elsewhere: a missing value written as null, a list instead of one item, a renamed member, additionalProperties false.",
		Fix:   "In the server: change the result or the outputSchema so that they agree. Declare values that may be null as nullable, and members that may be missing as not required. Errors are results with isError, which need no structuredContent.",
		Spec:  "2025-06-18 server/tools: Structured Content, Output Schema",
		Example: `  outputSchema: {"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}
< {"jsonrpc":"2.0","id":4,"result":{"content":[…],"structuredContent":{"total":null}}}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !isToolResponse(c) {
			return
		}
		value := c.Result("structuredContent")
		if value == nil {
			return
		}
		if value[0] != '{' && !c.ProtocolVersion().IsModern() {
			c.ReportAs(c.Call.Target+"object", diagnose.Finding{
				Message: "The result of " + quote(c.Call.Target) + " (" + frame(c.N) + ") has structuredContent that is not an object: " + quoteJSON(value) + ".",
				Place:   "/result/structuredContent",
				Frames:  []uint64{c.N, c.Call.N},
			})
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || len(t.Output) == 0 || t.Output[0] != '{' {
			return
		}
		faults := diagnose.Memory[validators](c).check(t, t.Output, value, false)
		if len(faults) == 0 {
			return
		}
		f := &faults[0]
		c.ReportAs(t.Name+anyIndex(f.Path)+f.Keyword, diagnose.Finding{
			Message: "The result of " + quote(t.Name) + " (" + frame(c.N) + ") does not fit its outputSchema (" + frame(t.N) + "): " + placed("structuredContent", f) + ".",
			Frames:  []uint64{c.N, c.Call.N, t.N},
			Place:   place("/result/structuredContent", f),
		})
	},
}

// isToolResponse says whether a result is the response of a tool that did its work:
// no error, no question, no task.
func isToolResponse(c *diagnose.Case) bool {
	if c.Call == nil || c.Facts == nil || c.Call.Dir != wire.ToServer || string(c.Result("isError")) == "true" {
		return false
	}
	if kind := resultType(c); kind != "" && kind != "complete" {
		return false
	}
	return c.Result("task") == nil
}
