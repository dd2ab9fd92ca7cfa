package gate

import (
	"bytes"
	"slices"

	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// setMember puts a value at a place of a JSON value and leaves every other byte. A
// member that is not there is added where its object is.
func setMember(raw []byte, path jsonpath.Path, value []byte) ([]byte, bool) {
	if from, to, ok := path.Find(raw); ok {
		return slices.Concat(raw[:from], value, raw[to:]), true
	}
	last := path[len(path)-1]
	from, to, ok := path[:len(path)-1].Find(raw)
	if len(path) == 1 {
		from, to, ok = trimmed(raw)
	}
	if !ok || last.Kind != jsonpath.Member || raw[from] != '{' {
		return raw, false
	}
	member := append(append(jsonpath.Quote(nil, last.Name), ':'), value...)
	if inner := bytes.TrimSpace(raw[from+1 : to-1]); len(inner) > 0 {
		member = append([]byte{','}, member...)
	}
	return slices.Concat(raw[:to-1], member, raw[to-1:]), true
}

// removeMember takes a member or an element away, with the comma that it needed.
func removeMember(raw []byte, path jsonpath.Path) ([]byte, bool) {
	from, to, ok := path.Find(raw)
	if !ok {
		return raw, false
	}
	if path[len(path)-1].Kind == jsonpath.Member {
		from = keyStart(raw, from)
	}
	after := to
	for after < len(raw) && space(raw[after]) {
		after++
	}
	if after < len(raw) && raw[after] == ',' {
		return slices.Concat(raw[:from], bytes.TrimLeft(raw[after+1:], " \t\r\n")), true
	}
	before := from
	for before > 0 && space(raw[before-1]) {
		before--
	}
	if before > 0 && raw[before-1] == ',' {
		from = before - 1
	}
	return slices.Concat(raw[:from], raw[to:]), true
}

// keyStart is where the name of a member begins whose value begins at i.
func keyStart(raw []byte, i int) int {
	for i--; i > 0 && raw[i] != ':'; i-- {
	}
	for i--; i > 0 && raw[i] != '"'; i-- {
	}
	for i--; i > 0; i-- {
		if raw[i] != '"' {
			continue
		}
		escapes := 0
		for k := i - 1; k >= 0 && raw[k] == '\\'; k-- {
			escapes++
		}
		if escapes%2 == 0 {
			break
		}
	}
	return max(i, 0)
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func trimmed(raw []byte) (from, to int, ok bool) {
	from, to = 0, len(raw)
	for from < to && space(raw[from]) {
		from++
	}
	for to > from && space(raw[to-1]) {
		to--
	}
	return from, to, to-from >= 2
}

// errorMessage is a response that reports a failure.
func errorMessage(id []byte, code int64, text string) []byte {
	if id == nil {
		id = []byte("null")
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(out, `,"error":{"code":`...)
	out = append(out, itoa(code)...)
	out = append(append(out, `,"message":`...), quoted(text)...)
	return append(out, "}}"...)
}

// resultMessage is a response with that result, or value itself when it is a whole
// message; its id becomes that of the request.
func resultMessage(id, value []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	if wire.Get(value, "result") != nil || wire.Get(value, "error") != nil || wire.Get(value, "method") != nil {
		if wire.Get(value, "method") == nil && wire.Get(value, "id") == nil {
			value, _ = setMember(value, jsonpath.Path{{Name: "id"}}, id)
		}
		if wire.Get(value, "jsonrpc") == nil {
			value, _ = setMember(value, jsonpath.Path{{Name: "jsonrpc"}}, []byte(`"2.0"`))
		}
		return value
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), value, []byte("}"))
}

// enlarge makes the result of a response so large, with text that is content where
// there is content.
func enlarge(raw []byte, size int) []byte {
	n := size - len(raw)
	if n <= 0 {
		return raw
	}
	pad := bytes.Repeat([]byte("midwire "), n/8+1)[:n]
	block := slices.Concat([]byte(`{"type":"text","text":"`), pad, []byte(`"}`))
	content := jsonpath.Path{{Name: "result"}, {Name: "content"}}
	if from, to, ok := content.Find(raw); ok && raw[from] == '[' {
		comma := []byte(",")
		if len(bytes.TrimSpace(raw[from+1:to-1])) == 0 {
			comma = nil
		}
		return slices.Concat(raw[:to-1], comma, block, raw[to-1:])
	}
	meta := jsonpath.Path{{Name: "result"}, {Name: "_meta"}}
	if out, ok := setMember(raw, append(meta, jsonpath.Seg{Name: "padding"}), slices.Concat([]byte(`"`), pad, []byte(`"`))); ok {
		return out
	}
	out, _ := setMember(raw, meta, slices.Concat([]byte(`{"padding":"`), pad, []byte(`"}`)))
	return out
}
