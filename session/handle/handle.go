// Package handle knows what looks like a handle: an opaque value that one side
// hands out in a result and the other passes back later, like a cursor, a task
// id, or the id of a session that a tool keeps for its callers.
//
// It is pure and keeps nothing: who wants to know what became of a handle
// remembers it (replay, session/insight).
package handle

import (
	"slices"
	"strings"

	"midwire/session/wire"
)

// Header is the header in which Streamable HTTP carries the id of a session.
const Header = "Mcp-Session-Id"

// Value is a value that may be a handle, and where it stands.
type Value struct {
	Path Path   // in the payload; valid during the call only
	Text string // of a string; of a number its raw JSON
	Name string // of the member that holds it

	// Part says that the value is a token of the text at Path: the one of that
	// class which begins there.
	Part     bool
	From, To int
	Class    Class
	Whole    string // the text that Text is a part of, or Text itself

	// Named says that it is recognised by its name and not by its look: it is
	// a handle only where a value of such a name is passed back.
	Named bool
	// Special says that the protocol makes it a handle: a cursor, a task id, a
	// requestState.
	Special bool
}

// Why says in a word or two what kind of handle a member of that name holds.
func Why(name string) string {
	switch name {
	case "cursor", "requestState":
		return name
	case "nextCursor":
		return "cursor"
	case "taskId":
		return "task id"
	case "uri":
		return "resource"
	}
	return "handle"
}

// Passed calls yield with the values in the params of a payload that may be
// handles which are passed back: whole ones first. What is always the sender's
// own is left out.
func Passed(payload []byte, yield func(Value)) {
	var texts []Value
	Leaves(payload, nil, func(p Path, value []byte) bool {
		in, ok := inParams(p)
		if !ok || ownWords(in) {
			return true
		}
		name := p.Last()
		v := Value{Path: p, Name: name, Named: Named(name)}
		if value[0] != '"' {
			if v.Named && IsNumber(value) {
				v.Text = string(value)
				v.Whole = v.Text
				yield(v)
			}
			return true
		}
		v.Text = wire.Text(value)
		if v.Text == "" || len(v.Text) > MaxToken {
			return true
		}
		v.Whole = v.Text
		yield(v)
		v.Path = slices.Clone(p)
		texts = append(texts, v)
		return true
	})
	for _, v := range texts {
		Tokens(v.Whole, func(from int, token string, k Class) {
			if token != v.Whole && Opaque(token) {
				v.Text, v.Part, v.From, v.To, v.Class, v.Named = token, true, from, from+len(token), k, false
				yield(v)
			}
		})
	}
}

// inParams returns what of a path of a payload lies in the params.
func inParams(p Path) (Path, bool) {
	if len(p) > 0 && p[0].Kind == SegElement { // of a batch
		p = p[1:]
	}
	if len(p) < 2 || p[0].Name != "params" {
		return nil, false
	}
	return p[1:], true
}

// ownWords says whether a parameter is always the client's own: what it calls,
// what it calls itself, the token it wants progress under.
func ownWords(p Path) bool {
	switch first := p[0].Name; {
	case first == "protocolVersion", first == "clientInfo", first == "capabilities", first == "progressToken", first == "requestId":
		return true
	case len(p) == 1 && first == "name":
		return true
	case first == "_meta" && len(p) > 1:
		return p[1].Name == "progressToken" || strings.HasPrefix(p[1].Name, "io.modelcontextprotocol/client") || p[1].Name == "io.modelcontextprotocol/protocolVersion"
	}
	return false
}

// IsNumber says whether a raw JSON value is a number.
func IsNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// Offered calls yield with everything in a message, the answer to a request of
// that method, that may be a handle which is handed out.
func Offered(message []byte, method string, yield func(Value)) {
	listing := strings.HasSuffix(method, "/list")
	type text struct {
		path Path
		text string
	}
	var texts []text
	Leaves(message, nil, func(p Path, value []byte) bool {
		name := p.Last()
		if len(p) == 0 || p[0].Name != "result" && p[0].Name != "error" || listing && name != "nextCursor" && name != "taskId" {
			return true
		}
		if value[0] != '"' {
			if IsNumber(value) && Named(name) {
				yield(Value{Path: p, Text: string(value), Whole: string(value), Name: name, Named: true})
			}
			return true
		}
		s := wire.Text(value)
		if s == "" {
			return true
		}
		if special := name == "nextCursor" || name == "requestState" || name == "taskId"; special || Opaque(s) || Named(name) {
			yield(Value{Path: p, Text: s, Whole: s, Name: name, Special: special, Named: !special && !Opaque(s)})
		}
		texts = append(texts, text{slices.Clone(p), s})
		return true
	})
	for _, t := range texts {
		Tokens(t.text, func(from int, token string, k Class) {
			if token == t.text || len(token) > MaxToken {
				return
			}
			name := Label(t.text, from)
			look, named := Opaque(token), len(token) > 1 && Named(name)
			if look || named {
				yield(Value{Path: t.path, Text: token, Whole: t.text, Name: name, Part: true, From: from, To: from + len(token), Class: k, Named: !look})
			}
		})
	}
}
