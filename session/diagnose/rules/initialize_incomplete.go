package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeIncomplete = &diagnose.Rule{
	ID:       "initialize-incomplete",
	Title:    "initialize lacks a required member",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means:   "initialize must have the protocol version, the capabilities of the client, even if they are empty, and the client's name and version. Most servers refuse anything less with an error that is hard to understand.",
		Wire:    "The params of initialize have no protocolVersion, no capabilities, or no clientInfo with name and version.",
		Cause:   "A hand-written client follows a shortened example, or omits empty objects when it serialises.",
		Fix:     `In the client: send {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"…","version":"…"}}.`,
		Spec:    "2025-11-25 basic/lifecycle: Initialization; schema InitializeRequestParams",
		Example: `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer {
			return
		}
		var missing []string
		lacks := func(name string, value []byte, first byte) {
			if len(value) == 0 || value[0] != first {
				missing = append(missing, name)
			}
		}
		lacks("protocolVersion", c.Param("protocolVersion"), '"')
		lacks("capabilities", c.Param("capabilities"), '{')
		if info := c.Param("clientInfo"); len(info) == 0 || info[0] != '{' {
			missing = append(missing, "clientInfo")
		} else {
			lacks("clientInfo.name", wire.Get(info, "name"), '"')
			lacks("clientInfo.version", wire.Get(info, "version"), '"')
		}
		if len(missing) > 0 {
			c.ReportAs("", diagnose.Finding{Message: "initialize (" + frame(c.N) + ") lacks " + strings.Join(missing, ", ") + ", or has it in another JSON type."})
		}
	},
}
