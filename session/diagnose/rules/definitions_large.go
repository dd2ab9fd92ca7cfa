package rules

import (
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var definitionsLarge = &diagnose.Rule{
	ID: "definitions-large", On: diagnose.Results, Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		const most = 40_000 // bytes: about ten thousand tokens
		list := listItems(c)
		if len(list) <= most || c.Dir != wire.ToClient {
			return
		}
		tools := 0
		wire.Items(list, func(int, []byte) bool { tools++; return true })
		c.Found("", "", fill{
			"tools": words.CountOf(tools, "tool", "tools"), "size": evidence.Bytes(len(list)), "tokens": words.Tokens(list),
		}, c.N)
	},
}
