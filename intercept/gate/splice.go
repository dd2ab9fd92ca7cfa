package gate

import (
	"bytes"
	"fmt"
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
	_, to, ok := path.Find(raw)
	if !ok {
		return raw, false
	}
	outer, _, _ := trimmed(raw)
	if len(path) > 1 {
		outer, _, _ = path[:len(path)-1].Find(raw)
	}
	before := outer + 1 // the end of what stands before it
	past := func(value []byte) bool {
		if end := cap(raw) - cap(value) + len(value); end < to {
			before = end
		}
		return true
	}
	wire.Each(raw[outer:], func(_, value []byte) bool { return past(value) })
	wire.Items(raw[outer:], func(_ int, value []byte) bool { return past(value) })
	if before > outer+1 {
		return slices.Concat(raw[:before], raw[to:]), true
	}
	rest := bytes.TrimLeft(raw[to:], blanks)
	return slices.Concat(raw[:before], bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(",")), blanks)), true
}

const blanks = " \t\r\n"

// trimmed is where a value stands, without the blanks around it.
func trimmed(raw []byte) (from, to int, ok bool) {
	from, to = len(raw)-len(bytes.TrimLeft(raw, blanks)), len(bytes.TrimRight(raw, blanks))
	return from, to, to-from >= 2
}

// errorMessage is a response that reports a failure.
func errorMessage(id []byte, code int, text string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, idOf(id), code, quoted(text))
}

func idOf(request []byte) []byte {
	if request == nil {
		return []byte("null")
	}
	return request
}

// resultMessage is a response with that result, or value itself when it is a whole
// message; its id becomes that of the request.
func resultMessage(id, value []byte) []byte {
	if wire.Get(value, "result") != nil || wire.Get(value, "error") != nil || wire.Get(value, "method") != nil {
		if wire.Get(value, "method") == nil && wire.Get(value, "id") == nil {
			value, _ = setMember(value, jsonpath.Path{{Name: "id"}}, idOf(id))
		}
		if wire.Get(value, "jsonrpc") == nil {
			value, _ = setMember(value, jsonpath.Path{{Name: "jsonrpc"}}, []byte(`"2.0"`))
		}
		return value
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, idOf(id), value)
}
