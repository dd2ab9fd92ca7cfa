package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// modernConformance are those of protocol version 2026-07-28.
var modernConformance = []formal{
	{id: "server-info-missing", on: diagnose.ModernResults, when: modernResponse, wrong: func(c *diagnose.Case) (string, fill) {
		return iff(wire.Get(c.Result("_meta"), mcp.MetaServerInfo) == nil, "")
	}},
	{id: "result-type-missing", on: diagnose.ModernResults, when: modernResponse, wrong: func(c *diagnose.Case) (string, fill) {
		raw, what := c.Result("resultType"), ""
		switch kind := text(raw); {
		case raw == nil:
			what = "has no resultType"
		case raw[0] != '"':
			what = "has a resultType that is not a string: " + quoteJSON(raw)
		case kind == "complete" || kind == "input_required" || kind == "task" || hasMember(wire.Get(c.Call.Caps, "extensions")):
			return "", nil
		default:
			what = "is of the type " + quote(kind) + ", which 2026-07-28 does not define, and the request declares no extension"
		}
		return c.Call.Method + what, fill{"what": what}
	}},
	{id: "modern-header-missing", on: diagnose.ModernRequests, when: contradicts, wrong: func(c *diagnose.Case) (string, fill) {
		var missing []string
		mirrors(c.Call, func(w wanted) {
			if c.Exchange.Header(w.name) == "" {
				missing = append(missing, w.name)
			}
		})
		return list(c.Call.Method, missing, " and ")
	}},
	{id: "version-refusal-bare", on: diagnose.Errors, wrong: func(c *diagnose.Case) (string, fill) {
		switch {
		case c.Dir != wire.ToClient || errorCode(c) != mcp.CodeUnsupportedVersion:
			return "", nil
		case strings.Join(supportedVersions(c), "") == "":
			return list("", []string{"which protocol versions it supports"}, "")
		case text(wire.Get(c.Message.Error, "data", "requested")) == "":
			return list("", []string{"which protocol version it refuses"}, "")
		}
		return "", nil
	}},
	{id: "header-body-mismatch", on: diagnose.ModernRequests, when: contradicts, wrong: func(c *diagnose.Case) (string, fill) {
		name, has, want := disagreement(c.Exchange.Header, c.Call)
		if name == "" {
			return "", nil
		}
		return name + c.Call.Method, fill{"header": name, "has": has, "body": want}
	}},
}

// disagreement finds a header that says something else than the body. One that
// is missing, or wrongly encoded, is another rule's.
func disagreement(header func(string) string, call *diagnose.Call) (name, has, want string) {
	mirrors(call, func(w wanted) {
		value := header(w.name)
		if value == "" || value == w.value || name != "" {
			return
		}
		decoded, ok := value, true
		if w.encoded {
			decoded, ok = mcp.DecodeHeader(value)
		}
		if ok && decoded != w.value && wire.Valid(call.Params) {
			name, has, want = w.name, decoded, w.value
		}
	})
	return name, has, want
}

// sameToken compares two tokens, text with text and number with number.
func sameToken(a, b string) bool {
	return a == b || a[0] == '"' && b[0] == '"' && text([]byte(a)) == text([]byte(b))
}
