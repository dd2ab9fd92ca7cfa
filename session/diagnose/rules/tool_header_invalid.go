package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolHeaderInvalid = &diagnose.Rule{
	ID:       "tool-header-invalid",
	Title:    "A tool requires an invalid header, so clients leave it out",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "x-mcp-header in an input schema asks the client to repeat an argument in a header. Clients over HTTP must leave out every tool where this is impossible, so the model never sees it.",
		Wire:  "A tool whose inputSchema has x-mcp-header with a value that is not a header name, twice with the same name, at a property that is not a string, integer or boolean, or below items, anyOf, $ref and the like.",
		Cause: "The annotation is at a place that is not allowed, for example at a list or a nested choice.",
		Fix:   "In the server: use x-mcp-header only at string, integer or boolean properties that are reached through properties alone, with names that differ in more than case.",
		Spec:  "2026-07-28 server/tools: x-mcp-header",
		Example: `< {"tools":[{"name":"query","inputSchema":{"type":"object","properties":{
  "regions":{"type":"array","items":{"type":"string"},"x-mcp-header":"Regions"}}}}]}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || c.Call.X == 0 || !bytes.Contains(c.Message.Result, []byte(xHeader)) {
			return
		}
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			if bad := badToolHeader(wire.Get(tool, "inputSchema")); bad != "" {
				name := text(wire.Get(tool, "name"))
				c.ReportAs(name, diagnose.Finding{
					Message: "The tool " + quote(name) + " (" + frame(c.N) + ") asks for an invalid header: " + bad + ". Clients leave it out.",
					Frames:  []uint64{c.N, c.Call.N},
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
