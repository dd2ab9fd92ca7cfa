package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var metaNotReceived = &diagnose.Rule{
	ID:      "meta-not-received",
	On:      diagnose.FailedCalls,
	Methods: []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || len(c.Call.Meta) < 3 {
			return
		}
		why := words.Fold(failure(c))
		// of 2026-07-28: what the client can do does not suffice
		if why == "" || !lacks(why) || errorCode(c) == mcp.CodeMissingCapability {
			return
		}
		wire.Each(c.Call.Meta, func(key, _ []byte) bool {
			name := string(key)
			if name == mcp.MetaProgressToken || len(name) < 4 || !mentions(why, name) {
				return true
			}
			c.Say(name, c.Client()+" sent "+quote(name)+" in _meta of "+c.Call.Method+" ("+frame(c.Call.N)+"), and the response ("+frame(c.N)+") says that it is missing: "+
				quote(failure(c))+".",
				c.Call.N, c.N)
			return false
		})
	},
}

// lacks says whether a text, in lower case, complains of something missing.
func lacks(text string) bool {
	return words.Holds(text, "missing", "required", "not provided", "no ", "without", "lacks", "absent", "must be", "not set")
}

// mentions says whether a text, in lower case, names a member, spelled with or
// without what parts its words.
func mentions(text, name string) bool {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && !words.Contains(text, name) {
		name = name[i+1:]
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "")
	name = words.Fold(plain.Replace(name))
	return len(name) >= 4 && strings.Contains(plain.Replace(text), name)
}
