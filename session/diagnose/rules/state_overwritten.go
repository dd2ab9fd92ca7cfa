package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var stateOverwritten = &diagnose.Rule{
	ID: "state-overwritten", On: diagnose.Requests | diagnose.Results, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer {
			return
		}
		all := diagnose.Memory[setters](c)
		if c.Message.Kind == wire.MsgRequest {
			all.note(c)
			return
		}
		if args := c.Call.Args; len(args) > 2 && hasMember(args) || len(c.Message.Result) > 8192 {
			return
		}
		text := ""
		for _, own := range all.list {
			if own.session != c.Session.Index {
				continue
			}
			for _, other := range all.list {
				if other.session == own.session || other.tool != own.tool || other.key != own.key ||
					other.value == own.value || other.n < own.n {
					continue
				}
				if text == "" {
					text = string(c.Message.Result)
				}
				if text == "" || contains(text, own.value) {
					break
				}
				if !contains(text, other.value) {
					continue
				}
				c.Say(own.tool, "This session called "+quote(own.tool)+" with "+own.key+" "+quote(unquoted(own.value))+" ("+frame(own.n)+
					"), another session with "+quote(unquoted(other.value))+" ("+frame(other.n)+
					"), and "+quote(c.Call.Target)+" ("+frame(c.Call.N)+") returns the value of the other.",
					c.N, c.Call.N, own.n, other.n)
				return
			}
		}
	},
}

// setters are the latest calls with exactly one argument, a text.
type setters struct{ list []setter }

type setter struct {
	session          int
	tool, key, value string // value is raw JSON
	n                uint64
}

const maxSetters = 128

// note keeps a call that may set something: with one argument, a text that is
// not too common a word. A later one of the same session replaces it.
func (s *setters) note(c *diagnose.Case) {
	if len(c.Call.Args) > 512 {
		return
	}
	var name, text []byte
	members := 0
	wire.Members(c.Call.Args, func(key, value []byte) bool {
		members++
		name, text = key, value
		return members < 2
	})
	if members != 1 || len(text) < 5 || len(text) > 256 || text[0] != '"' {
		return
	}
	one := setter{session: c.Session.Index, tool: c.Call.Target, n: c.Call.N}
	for i := range s.list {
		if old := s.list[i]; old.session == one.session && old.tool == one.tool {
			if string(name) == old.key && string(text) == old.value {
				one.key, one.value = old.key, old.value
			}
			s.list = append(s.list[:i], s.list[i+1:]...)
			break
		}
	}
	if one.value == "" {
		one.key, one.value = string(name), string(text)
	}
	s.list = kept(s.list, maxSetters, one)
}

// contains says whether a result holds a value as a word of its own: value is a
// JSON text, and so is whatever may stand around it.
func contains(result, value string) bool {
	value = unquoted(value)
	for rest := result; ; {
		_, after, ok := strings.Cut(rest, value)
		if !ok {
			return false
		}
		before := rest[:len(rest)-len(after)-len(value)]
		if !joins(before, -1) && !joins(after, 0) {
			return true
		}
		rest = after
	}
}

// joins says whether a text goes on with a letter, digit or slash at its end
// (-1) or beginning (0): then what stands beside it is only part of a word.
func joins(s string, at int) bool {
	if s == "" {
		return false
	}
	b := s[0]
	if at < 0 {
		b = s[len(s)-1]
		if len(s) > 1 && s[len(s)-2] == '\\' {
			return false // an escape such as \n
		}
	}
	return b == '/' || b == '_' || b == '-' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

func unquoted(raw string) string { return strings.Trim(raw, `"`) }

func hasMember(object []byte) bool {
	some := false
	wire.Members(object, func(_, _ []byte) bool { some = true; return false })
	return some
}
