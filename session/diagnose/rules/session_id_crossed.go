package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionIDCrossed = &diagnose.Rule{
	ID: "session-id-crossed", On: diagnose.Requests, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		ids := made(diagnose.Memory[map[string]int](c))
		if c.Exchange == nil || c.Session.ID == "" || c.Session.IDSource != session.IDServer {
			return
		}
		if own, known := ids[c.Session.ID]; (!known || own != c.Session.Index) && len(ids) < 65536 {
			ids[c.Session.ID] = c.Session.Index
		}
		if len(ids) < 2 {
			return
		}
		for _, where := range [...]string{"_meta", "arguments"} {
			wire.Members(c.Param(where), func(key, value []byte) bool {
				if len(value) < 10 || value[0] != '"' || !namesSession(key) {
					return true
				}
				other, ok := ids[wire.Text(value)]
				if !ok || other == c.Session.Index {
					return true
				}
				c.Say(where, "The call "+quote(c.Call.Target)+" ("+frame(c.N)+") came in session "+quote(c.Session.ID)+", and "+where+"."+
					string(key)+" names another session, "+quote(wire.Text(value))+".")
				return false
			})
		}
	},
}

// namesSession says whether a key is spelled like the id of a session or
// conversation.
func namesSession(key []byte) bool {
	if len(key) < 6 || len(key) > 64 || string(key) == mcp.MetaProgressToken {
		return false
	}
	return hasWord(string(key), "session", "conversation", "thread")
}
