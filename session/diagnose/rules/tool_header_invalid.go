package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolHeaderInvalid = &diagnose.Rule{
	ID: "tool-header-invalid", On: diagnose.ModernResults, Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || c.Call.X == 0 || !bytes.Contains(c.Message.Result, []byte(xHeader)) {
			return
		}
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			if bad := badToolHeader(wire.Get(tool, "inputSchema")); bad != "" {
				name := text(wire.Get(tool, "name"))
				c.ReportAs(name, diagnose.Finding{
					Message: "The tool " + quote(name) + " (" + frame(c.N) + ") asks for an invalid header: " + bad + ". Clients leave it out.",
					Frames:  []uint64{c.N, c.Call.N}, Items: []string{name},
				})
			}
			return true
		})
	},
}

// badToolHeader says what is wrong with the x-mcp-header of an input schema, ""
// for nothing.
func badToolHeader(schema []byte) string {
	if !bytes.Contains(schema, []byte(xHeader)) {
		return ""
	}
	for _, h := range toolHeaders(schema) {
		if h.bad != "" {
			return "x-mcp-header " + quote(h.name) + " at " + quote(strings.Join(h.path, ".")) + " " + h.bad
		}
	}
	return ""
}
