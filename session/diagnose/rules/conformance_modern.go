package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// modernConformance are those of protocol version 2026-07-28.
var modernConformance = []formal{
	{
		id: "server-info-missing", on: diagnose.ModernResults, when: modernResponse,
		wrong: func(c *diagnose.Case) (key, says string) {
			if wire.Get(c.Result("_meta"), mcp.MetaServerInfo) != nil {
				return
			}
			return "", "The result of " + quote(c.Call.Method) + " (" + frame(c.N) + ") does not name its server in _meta."
		},
	},
	{
		id: "result-type-missing", on: diagnose.ModernResults, when: modernResponse,
		wrong: func(c *diagnose.Case) (key, says string) {
			raw := c.Result("resultType")
			what := ""
			switch kind := text(raw); {
			case raw == nil:
				what = "has no resultType"
			case raw[0] != '"':
				what = "has a resultType that is not a string: " + quoteJSON(raw)
			case kind == "complete" || kind == "input_required" || kind == "task" || hasMember(wire.Get(c.Call.Caps, "extensions")):
				return
			default:
				what = "is of the type " + quote(kind) + ", which 2026-07-28 does not define, and the request declares no extension"
			}
			return c.Call.Method + what, "The result of " + quote(c.Call.Method) + " (" + frame(c.N) + ") " + what + "."
		},
	},
	{
		id: "modern-header-missing", on: diagnose.ModernRequests, when: contradicts,
		wrong: func(c *diagnose.Case) (key, says string) {
			var missing []string
			mirrors(c.Call, func(w wanted) {
				if c.Exchange.Header(w.name) == "" {
					missing = append(missing, w.name)
				}
			})
			if missing == nil {
				return
			}
			list := strings.Join(missing, " and ")
			return list + c.Call.Method, "The POST of " + quote(c.Call.Method) + " (" + frame(c.N) + ") says in its body that it is of " +
				string(c.Call.Version) + ", and lacks the header " + list + "."
		},
	},
	{
		id: "version-refusal-bare", on: diagnose.Errors,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Dir != wire.ToClient || string(wire.Get(c.Message.Error, "code")) != "-32022" {
				return
			}
			missing := ""
			switch requested := wire.Get(c.Message.Error, "data", "requested"); {
			case strings.Join(supportedVersions(c), "") == "":
				missing = "which protocol versions it supports"
			case text(requested) == "":
				missing = "which protocol version it refuses"
			default:
				return
			}
			return missing, c.Server() + " refused a protocol version (" + frame(c.N) + ") and does not say " + missing + "."
		},
	},
	{
		id: "header-body-mismatch", on: diagnose.ModernRequests, when: contradicts,
		wrong: func(c *diagnose.Case) (key, says string) {
			if name, has, want := disagreement(c.Exchange.Header, c.Call); name != "" {
				return name + c.Call.Method, "The header " + name + " of " + frame(c.N) + " says " + quote(has) + ", and the body " + quote(want) + "."
			}
			return
		},
	},
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
