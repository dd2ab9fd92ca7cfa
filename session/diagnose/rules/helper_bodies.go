package rules

import (
	"bytes"
	"encoding/json"
	"errors"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

// body is what a payload is that should have been a message.
type body struct {
	what  string            // goes on after "is"
	cause string            // "" for the rule's
	fix   []diagnose.Remedy // nil for the rule's
	half  bool              // it ends in the middle
}

// The kinds of body that say where they come from.
var (
	emptyBody = body{what: "empty"}
	pageBody  = body{what: "a web page and not JSON"}
	textBody  = body{what: "text and not JSON"}
	eventBody = body{
		what:  "an event stream (event:, data:), and not JSON",
		cause: "The sender writes server-sent events and declares them as JSON: the Content-Type is set by a framework or a filter after the stream began, or is that of another response.",
		fix:   fixes(responsible("set Content-Type: text/event-stream for an event stream, or send the message alone as application/json.")),
	}
	stringBody = body{
		what:  "a JSON string with a message in it: it was encoded twice",
		cause: "The message was serialised to text, and a layer above serialised that text again.",
		fix:   fixes(responsible("return the object, or write the text as it is; not both.")),
	}
	resultBody = body{
		what:  "a bare result without the message around it: jsonrpc and id are missing",
		cause: "The result of the method is sent alone. JSON-RPC wants it as a member of a message that repeats the id of the request.",
		fix:   fixes(responsible(`send {"jsonrpc":"2.0","id":…,"result":…} with the id of the request.`)),
	}
	failureBody = body{
		what:  "an error object of its own, and not a JSON-RPC message",
		cause: "A framework, a gateway or a handler before MCP reports a failure in its own form.",
		fix:   fixes(responsible("respond with a JSON-RPC error, or with an HTTP status of 400 or more. The text of the error says what failed.")),
	}
	bareMessage = body{
		what:  "a JSON object without method, result or error at its top",
		cause: "The sender builds messages by hand: method or result is left out or empty, spelled otherwise, or stands deeper in the object.",
		fix:   fixes(responsible(`put "method" (with "params") into requests, and "result" or "error" into responses, at the top beside "jsonrpc" and "id"; an empty result is {}.`)),
	}
	otherJSON  = body{what: "JSON, and not a JSON-RPC message"}
	brokenJSON = body{
		cause: "The sender puts the JSON together by hand, or text gets into it: a comma or quote too many, a value that is no JSON (NaN, undefined, single quotes), a line end that is not escaped.",
		fix:   fixes(responsible("make the body with a JSON serialiser, and let nothing write into it afterwards.")),
	}
	cutJSON = body{
		half:  true,
		cause: "The body was cut: the sender or a gateway counts Content-Length in characters instead of bytes, has a limit for bodies or buffers, or ended the body before all was written.",
		fix:   fixes(responsible("compare the body with what its sender wrote."), inGateway("look for limits on body and buffer sizes."), responsible("count Content-Length in bytes.")),
	}
)

// classifyBody says what a payload is that is no message.
func classifyBody(data []byte) body {
	b := bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))
	if coding := magic(data); coding != "" {
		return body{
			what:  "compressed with " + coding + ", and its head does not say so",
			cause: "A server or gateway compressed the body and did not set Content-Encoding, or a gateway took the header off and left the body as it was.",
			fix:   fixes(responsible("set Content-Encoding: "+coding+", or send the body as it is."), inGateway("take off the header only when the body is decompressed.")),
		}
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
		if _, ok := wire.ScanMessage([]byte(wire.Text(b))); ok {
			return stringBody
		}
		return otherJSON
	case b[0] != '{':
		return otherJSON
	}
	if in := wrapped(b); in != "" {
		return body{
			what:  "an object with the message in its member " + quote(in),
			cause: "A layer around MCP puts its own envelope around the message, such as a function platform or a gateway for REST.",
			fix:   fixes(responsible("let the layer pass the body through as it is: the message itself is the body.")),
		}
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
			value = []byte(wire.Text(value))
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
		out := brokenJSON
		out.what = "not valid JSON"
		return out
	case int(syntax.Offset) >= len(b) && syntax.Error() == "unexpected end of JSON input":
		out := cutJSON
		out.what = "not valid JSON: it ends in the middle, after " + number(len(b)) + " bytes"
		return out
	case len(values(b, 2)) == 2:
		out := brokenJSON
		out.what = "not valid JSON: several values follow each other"
		return out
	}
	at := int(syntax.Offset) - 1
	out := brokenJSON
	out.what = "not valid JSON: byte " + number(at) + " is wrong, after " + quote(string(b[max(0, at-20):at]))
	return out
}
