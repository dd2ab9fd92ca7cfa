package rules

import (
	"bytes"
	"encoding/json"
	"errors"

	"midwire/session/wire"
)

// body is what a payload is that should have been a message.
type body struct {
	what string // goes on after "is"
	why  string // the section of advice.md, "" for what the rule says
	half bool   // it ends in the middle
}

// The kinds of body that say where they come from.
var (
	emptyBody   = body{what: "empty"}
	pageBody    = body{what: "a web page and not JSON"}
	textBody    = body{what: "text and not JSON"}
	eventBody   = body{what: "an event stream (event:, data:), and not JSON", why: "events called JSON"}
	stringBody  = body{what: "a JSON string with a message in it: it was encoded twice", why: "encoded twice"}
	resultBody  = body{what: "a bare result without the message around it: jsonrpc and id are missing", why: "bare result"}
	failureBody = body{what: "an error object of its own, and not a JSON-RPC message", why: "failure in another form"}
	bareMessage = body{what: "a JSON object without method, result or error at its top", why: "message without its members"}
	otherJSON   = body{what: "JSON, and not a JSON-RPC message"}
)

// classifyBody says what a payload is that is no message.
func classifyBody(data []byte) body {
	b := bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))
	if coding := magic(data); coding != "" {
		return body{what: "compressed with " + coding + ", and its head does not say so", why: "coding not said"}
	}
	switch {
	case len(b) == 0:
		return emptyBody
	case b[0] == '<':
		return pageBody
	case startsEvent(b):
		return eventBody
	case wire.Valid(b):
		return classifyValue(b)
	case b[0] == '{' || b[0] == '[' || b[0] == '"':
		return classifyBroken(b)
	}
	return textBody
}

// magic names the content coding that the first bytes of a body are of, "" for none.
func magic(b []byte) string {
	for _, m := range []struct{ start, name string }{
		{"\x1f\x8b\x08", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\x78\x9c", "deflate"}, {"\x78\xda", "deflate"},
	} {
		if bytes.HasPrefix(b, []byte(m.start)) {
			return m.name
		}
	}
	return ""
}

// startsEvent says whether a body begins as an event stream does.
func startsEvent(b []byte) bool {
	line, _, more := bytes.Cut(b, []byte("\n"))
	name, _, ok := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "event", "data", "id", "retry":
		return ok
	case "":
		return ok && more && bytes.Contains(b, []byte("\ndata:"))
	}
	return false
}

// classifyValue says what JSON is that is no message.
func classifyValue(b []byte) body {
	switch {
	case b[0] == '"':
		if _, ok := wire.ScanMessage([]byte(wire.Said(b))); ok {
			return stringBody
		}
		return otherJSON
	case b[0] != '{':
		return otherJSON
	}
	if in := wrapped(b); in != "" {
		return body{what: "an object with the message in its member " + quote(in), why: "message in an envelope"}
	}
	switch has := func(name string) bool { return wire.Get(b, name) != nil }; {
	case has("jsonrpc"):
		return bareMessage
	case isBareResult(b):
		return resultBody
	case has("error") || has("detail") || has("message") && (has("status") || has("statusCode") || has("code")):
		return failureBody
	}
	return otherJSON
}

// wrapped is the member that holds a message, as an object or as text; "" for none.
func wrapped(b []byte) (name string) {
	wire.Each(b, func(key, value []byte) bool {
		if len(value) > 0 && value[0] == '"' && len(value) < 1<<20 {
			value = []byte(wire.Said(value))
		}
		if _, ok := wire.ScanMessage(value); ok && wire.Get(value, "jsonrpc") != nil {
			name = string(key)
		}
		return name == ""
	})
	return name
}

func isBareResult(b []byte) bool {
	for _, set := range [][]string{
		{"protocolVersion", "capabilities"},
		{"capabilities", "serverInfo"},
		{"tools"},
		{"resources"},
		{"prompts"},
		{"resourceTemplates"},
		{"contents"},
		{"content", "isError"},
		{"content", "structuredContent"},
	} {
		all := true
		for _, name := range set {
			value := wire.Get(b, name)
			all = all && len(value) > 0 && (len(set) > 1 || value[0] == '[')
		}
		if all {
			return true
		}
	}
	typed := false
	wire.Items(wire.Get(b, "content"), func(_ int, item []byte) bool {
		typed = wire.Get(item, "type") != nil
		return false
	})
	return typed
}

// classifyBroken says where JSON stops being JSON.
func classifyBroken(b []byte) body {
	var v json.RawMessage
	var syntax *json.SyntaxError
	err := json.Unmarshal(b, &v)
	switch {
	case !errors.As(err, &syntax):
		return body{what: "not valid JSON", why: brokenJSON}
	case int(syntax.Offset) >= len(b) && syntax.Error() == "unexpected end of JSON input":
		return body{"not valid JSON: it ends in the middle, after " + number(len(b)) + " bytes", "body cut", true}
	case len(values(b, 2)) == 2:
		return body{what: "not valid JSON: several values follow each other", why: brokenJSON}
	}
	at := int(syntax.Offset) - 1
	return body{what: "not valid JSON: byte " + number(at) + " is wrong, after " + quote(string(b[max(0, at-20):at])), why: brokenJSON}
}

const brokenJSON = "broken JSON"
