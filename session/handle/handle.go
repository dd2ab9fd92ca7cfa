// Package handle recognises handles: an opaque value that one side
// issues in a result and the other uses later, like a cursor, a task
// id, or the id of a session that a tool keeps for its callers.
//
// It is pure and keeps nothing: callers that follow a handle remember it
// (replay, session/insight).
package handle

import (
	"bytes"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Value is a value that may be a handle, and where it stands.
type Value struct {
	Path jsonpath.Path // in the payload; valid during the call only
	Text string        // of a string; of a number its raw JSON
	Name string        // of the member that holds it

	// Part says that the value is a token of the text at Path: the one of that
	// class which begins there.
	Part     bool
	From, To int
	Class    Class
	Whole    string // the text that Text is a part of, or Text itself

	// Named says that it is recognised by its name and not by its look: it is
	// a handle only where a value of such a name is used.
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

// Used calls yield with the values in the params of a payload that may be
// handles which are used: whole ones first. What is always the sender's
// own is left out.
func Used(payload []byte, yield func(Value)) {
	jsonpath.Leaves(payload, nil, func(p jsonpath.Path, value []byte) bool {
		v, ok := usedText(p, value)
		switch {
		case ok:
			yield(v)
		case v.Named && IsNumber(value):
			v.Text = string(value)
			v.Whole = v.Text
			yield(v)
		}
		return true
	})
	jsonpath.Leaves(payload, nil, func(p jsonpath.Path, value []byte) bool {
		v, ok := usedText(p, value)
		if !ok || len(v.Text) <= minOpaque {
			return true
		}
		Tokens(v.Whole, func(from int, token string, k Class) {
			if token != v.Whole && Opaque(token) {
				v.Text, v.Part, v.From, v.To, v.Class, v.Named = token, true, from, from+len(token), k, false
				yield(v)
			}
		})
		return true
	})
}

// Given calls yield with the values in the params of a payload, but for what is always the
// sender's own, until that returns false.
func Given(payload []byte, yield func(p jsonpath.Path, value []byte) bool) {
	jsonpath.Leaves(payload, nil, func(p jsonpath.Path, value []byte) bool {
		in, ok := inParams(p)
		return !ok || ownWords(in) || yield(p, value)
	})
}

// usedText is a text in the params that may be a handle, or hold one. It is
// false for anything else; of a value in the params the name is set.
func usedText(p jsonpath.Path, value []byte) (Value, bool) {
	in, ok := inParams(p)
	if !ok || ownWords(in) {
		return Value{}, false
	}
	name := p.Last()
	v := Value{Path: p, Name: name, Named: Named(name)}
	if value[0] != '"' || len(value) > len(`""`)+6*MaxToken { // too long, whatever its escapes stand for
		return v, false
	}
	v.Text = wire.Text(value)
	v.Whole = v.Text
	return v, v.Text != "" && len(v.Text) <= MaxToken
}

// inParams returns what of a path of a payload lies in the params.
func inParams(p jsonpath.Path) (jsonpath.Path, bool) {
	if len(p) > 0 && p[0].Kind == jsonpath.Element { // of a batch
		p = p[1:]
	}
	if len(p) < 2 || p[0].Name != "params" {
		return nil, false
	}
	return p[1:], true
}

// ownWords reports whether a parameter is always the client's own: what it calls,
// what it calls itself, the token it wants progress under.
func ownWords(p jsonpath.Path) bool {
	switch first := p[0].Name; {
	case first == "protocolVersion", first == "clientInfo", first == "capabilities", first == "progressToken", first == "requestId":
		return true
	case len(p) == 1 && first == "name":
		return true
	case first == "_meta" && len(p) > 1:
		return p[1].Name == mcp.MetaProgressToken || strings.HasPrefix(p[1].Name, mcp.MetaPrefix+"client") ||
			p[1].Name == mcp.MetaProtocolVersion
	}
	return false
}

// IsNumber reports whether a raw JSON value is a number.
func IsNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// maxText bounds the texts that are searched for handles.
const maxText = 1 << 20

// Issued calls yield with everything in a message, the response to a request of
// that method, that may be a handle which is issued.
func Issued(message []byte, method string, yield func(Value)) {
	listing := strings.HasSuffix(method, "/list")
	skip := func(p jsonpath.Path, value []byte) bool {
		name := p.Last()
		return len(p) == 0 || p[0].Name != "result" && p[0].Name != "error" || listing && name != "nextCursor" && name != "taskId" || len(value) > maxText
	}
	jsonpath.Leaves(message, nil, func(p jsonpath.Path, value []byte) bool {
		if skip(p, value) {
			return true
		}
		name := p.Last()
		if value[0] != '"' {
			if IsNumber(value) && Named(name) {
				yield(Value{Path: p, Text: string(value), Whole: string(value), Name: name, Named: true})
			}
			return true
		}
		s := wire.Text(value)
		if special := name == "nextCursor" || name == "requestState" || name == "taskId"; s != "" && (special || Opaque(s) || Named(name)) {
			yield(Value{Path: p, Text: s, Whole: s, Name: name, Special: special, Named: !special && !Opaque(s)})
		}
		return true
	})
	jsonpath.Leaves(message, nil, func(p jsonpath.Path, value []byte) bool {
		if skip(p, value) || value[0] != '"' {
			return true
		}
		text := wire.Text(value)
		Tokens(text, func(from int, token string, k Class) {
			if token == text || len(token) > MaxToken {
				return
			}
			name := Label(text, from)
			look, named := Opaque(token), len(token) > 1 && Named(name)
			if look || named {
				yield(Value{
					Path:  p,
					Text:  token,
					Whole: text,
					Name:  name,
					Part:  true,
					From:  from,
					To:    from + len(token),
					Class: k,
					Named: !look,
				})
			}
		})
		return true
	})
}

// Plain calls yield with what in a message, the response to a request of that method, nothing
// but its later use says is a handle: whole texts and numbers, and tokens with a digit.
func Plain(message []byte, method string, yield func(Value)) {
	if strings.HasSuffix(method, "/list") {
		return
	}
	jsonpath.Leaves(message, nil, func(p jsonpath.Path, value []byte) bool {
		if len(p) == 0 || p[0].Name != "result" || len(value) > maxText {
			return true
		}
		if IsNumber(value) {
			yield(Value{Path: p, Text: string(value), Whole: string(value), Name: p.Last()})
		}
		if value[0] != '"' {
			return true
		}
		text := wire.Text(value)
		if text != "" && len(text) <= MaxToken {
			yield(Value{Path: p, Text: text, Whole: text, Name: p.Last()})
		}
		Tokens(text, func(from int, token string, k Class) {
			if token != text && len(token) <= MaxToken && strings.ContainsAny(token, "0123456789") {
				yield(Value{
					Path: p, Text: token, Whole: text, Name: Label(text, from),
					Part: true, From: from, To: from + len(token), Class: k,
				})
			}
		})
		return true
	})
}

// Find is where a handle stands in a payload, without quotes: in the value at a
// place that is written as Path is. It is false where there is no such place.
func Find(payload []byte, place, value string) (from, to int, ok bool) {
	path, err := jsonpath.Parse(place)
	if err != nil {
		return 0, 0, false
	}
	if from, to, ok = path.Find(payload); !ok {
		return 0, 0, false
	}
	if i := bytes.Index(payload[from:to], []byte(value)); i >= 0 {
		return from + i, from + i + len(value), true
	}
	if payload[from] == '"' && to > from+1 { // it is written with escapes
		return from + 1, to - 1, true
	}
	return from, to, true
}
