package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeIncomplete = &diagnose.Rule{
	ID: "initialize-incomplete", On: diagnose.Requests, Methods: []string{mcp.Initialize},
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
			c.Say("", "initialize ("+frame(c.N)+") lacks "+strings.Join(missing, ", ")+", or has it in another JSON type.")
		}
	},
}
