package operation

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// lists notes what a list names.
func (a *Account) lists(o *Operation, e *session.Event) {
	var into *[]string
	member, name := "tools", "name"
	switch o.Method {
	case mcp.ToolsList:
		into, a.ToolsN = &a.Tools, e.N
	case mcp.ResourcesList:
		into, member, name = &a.Resources, "resources", "uri"
	case mcp.ResourceTemplatesList:
		into, member, name = &a.Resources, "resourceTemplates", "uriTemplate"
	default:
		return
	}
	if len(*into) >= maxTools {
		return
	}
	known := make(map[string]bool, len(*into))
	for _, s := range *into {
		known[s] = true
	}
	wire.Items(e.Result(member), func(_ int, one []byte) bool {
		s := words.Clip(wire.Said(wire.Get(one, name)), 200)
		if !known[s] && s != "" {
			known[s] = true
			*into = append(*into, s)
		}
		return len(*into) < maxTools
	})
}

// Uncalled lists the tools that were listed and never called.
func (a *Account) Uncalled() (names []string) {
	for _, name := range a.Tools {
		if a.called[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// Tally is that of a method of the client; nil for none.
func (a *Account) Tally(method string) *Tally { return a.byName[tallyKey{method, wire.ToServer}] }

func (a *Account) tally(o *Operation) *Tally {
	k := tallyKey{o.Method, o.Dir}
	t := a.byName[k]
	if t == nil {
		if len(a.Tallies) >= maxTallies {
			k.method = ""
			if t = a.byName[k]; t != nil {
				return t
			}
		}
		t = &Tally{Method: k.method, Dir: o.Dir, First: o.N}
		a.byName[k], a.Tallies = t, append(a.Tallies, t)
	}
	return t
}

// Plain is how many calls of a tool got a result that does not read like a failure.
func (a *Account) Plain(tool string) int {
	if one := a.called[tool]; one != nil {
		return one.plain
	}
	return 0
}
