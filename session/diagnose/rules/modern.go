package rules

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// modernRevision is the first revision without sessions.
const modernRevision = "2026-07-28"

// modernPost says that the message in hand is a request of a client, posted
// under 2026-07-28.
func modernPost(c *diagnose.Case) bool {
	return c.Modern && c.Exchange != nil && c.Dir == wire.ToServer && c.Call != nil && c.Session.Transport != session.TransportSSE
}

// modernAnswer says that the message in hand answers a client's request of
// 2026-07-28, from a server that serves it.
func modernAnswer(c *diagnose.Case) bool {
	return c.Call != nil && c.Call.Modern && c.Call.Dir == wire.ToServer && c.Facts != nil && c.Facts.ServesModern
}

// headerParam is the parameter that Mcp-Name repeats, "" for none
// (2026-07-28 basic/transports/streamable-http: Standard Request Headers).
func headerParam(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	}
	return ""
}

// wanted is a header that a request must carry, and what it must say.
type wanted struct {
	name, value string
	encoded     bool // it may be written in base64
}

// mirrors calls yield with each header that repeats a part of a request. What
// the body lacks no header can repeat.
func mirrors(call *diagnose.Call, yield func(wanted)) {
	if call.Version != "" {
		yield(wanted{"MCP-Protocol-Version", call.Version, false})
	}
	yield(wanted{"Mcp-Method", call.Method, false})
	if param := headerParam(call.Method); param != "" {
		if v := text(wire.Get(call.Params, param)); v != "" {
			yield(wanted{"Mcp-Name", v, true})
		}
	}
}

const base64Prefix, base64Suffix = "=?base64?", "?="

// headerText undoes the encoding of a header value. ok is false when it begins
// like an encoded one and is none.
func headerText(value string) (text string, ok bool) {
	in, marked := strings.CutPrefix(value, base64Prefix)
	if !marked {
		return value, true
	}
	if in, marked = strings.CutSuffix(in, base64Suffix); !marked {
		return value, false
	}
	out, err := base64.StdEncoding.DecodeString(in)
	if err != nil || !utf8.Valid(out) {
		return value, false
	}
	return string(out), true
}

// needsBase64 says whether a value cannot stand in a header as it is
// (2026-07-28 basic/transports/streamable-http: Value Encoding).
func needsBase64(v string) bool {
	for i := range len(v) {
		if v[i] < 0x20 || v[i] > 0x7e {
			return true
		}
	}
	return v != strings.Trim(v, " \t") || strings.HasPrefix(v, base64Prefix) && strings.HasSuffix(v, base64Suffix)
}

// isExtended says whether a request declares any extension.
func isExtended(call *diagnose.Call) bool {
	some := false
	wire.Each(wire.Get(call.Caps, "extensions"), func(_, _ []byte) bool {
		some = true
		return false
	})
	return some
}

// tasksExtension is declared by clients that take a task for an answer.
const tasksExtension = "io.modelcontextprotocol/tasks"

// resultType is what kind of result an answer of 2026-07-28 is; "" means
// complete, as clients take it.
func resultType(c *diagnose.Case) string { return text(c.Result("resultType")) }
