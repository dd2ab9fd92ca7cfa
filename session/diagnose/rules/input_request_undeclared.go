package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var inputRequestUndeclared = &diagnose.Rule{
	ID:      "input-request-undeclared",
	On:      diagnose.ModernResults,
	Methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || len(c.Call.Caps) == 0 || resultType(c) != "input_required" {
			return
		}
		wire.Each(c.Result("inputRequests"), func(key, ask []byte) bool {
			missing := undeclared(c.Call.Caps, ask)
			if missing != "" {
				c.Say(missing, "The response to "+quote(c.Call.Method)+" ("+frame(c.N)+") asks for "+quote(string(key))+", which needs the capability "+missing+", and the request ("+
					frame(c.Call.N)+") does not declare it.",
					c.N, c.Call.N)
			}
			return true
		})
	},
}

// undeclared is the capability that a question needs and a request does not
// declare, "" for none. An empty elicitation means forms.
func undeclared(caps, ask []byte) string {
	method := text(wire.Get(ask, "method"))
	name := neededCapability(method)
	has := wire.Get(caps, name)
	switch {
	case name == "":
		return ""
	case has == nil || has[0] != '{':
		return name
	case name == "elicitation":
		form, url := wire.Get(has, "form") != nil, wire.Get(has, "url") != nil
		if byURL := text(wire.Get(ask, "params", "mode")) == "url"; byURL && !url {
			return "elicitation.url"
		} else if !byURL && url && !form {
			return "elicitation.form"
		}
	case name == "sampling":
		if wire.Get(ask, "params", "tools") != nil && wire.Get(has, "tools") == nil {
			return "sampling.tools"
		}
	}
	return ""
}
