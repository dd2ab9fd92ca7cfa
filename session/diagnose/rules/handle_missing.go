package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var handleMissing = &diagnose.Rule{
	ID: "handle-missing", On: diagnose.FailedCalls, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		h := diagnose.Shared[handles](c)
		if c.Call == nil || c.Call.Dir != wire.ToServer || len(h.order) == 0 {
			return
		}
		why := words.Fold(failure(c))
		if why == "" || !lacks(why) {
			return
		}
		args := c.Call.Args
		for i := len(h.order) - 1; i >= 0 && i >= len(h.order)-64; i-- {
			one := h.byValue[h.order[i]]
			if one.session != c.Session.Index || one.key == "" || !mentionsHandle(why, one.key) || names(args, one.key) {
				continue
			}
			c.Say(one.key, "The call "+quote(c.Call.Target)+" ("+frame(c.Call.N)+") was refused: "+quote(failure(c))+". "+
				quote(one.tool)+" issued one earlier: "+one.key+" "+quote(one.value)+" ("+frame(one.n)+").",
				c.Call.N, c.N, one.n)
			return
		}
	},
}

// mentionsHandle says whether a text, in lower case, names a handle: "session"
// stands for "session_id" too.
func mentionsHandle(text, key string) bool {
	key = words.Fold(key)
	key = strings.TrimRight(strings.TrimSuffix(key, "id"), "_- ")
	return len(key) >= 4 && strings.Contains(text, key)
}

// names says whether arguments have a member that is spelled like a handle's.
func names(args []byte, handle string) bool {
	found := false
	wire.Each(args, func(key, value []byte) bool {
		found = mentionsHandle(words.Fold(string(key)), handle) && len(value) > 2
		return !found
	})
	return found
}
