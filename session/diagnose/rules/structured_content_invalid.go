package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var structuredContentInvalid = &diagnose.Rule{
	ID: "structured-content-invalid", On: diagnose.Results, Methods: []string{mcp.ToolsCall},
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
