package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// modernConformance are those of protocol version 2026-07-28.
var modernConformance = []*diagnose.Rule{
	{ID: "server-info-missing", On: diagnose.ModernResults, Check: func(c *diagnose.Case) {
		if modernResponse(c) && wire.Get(c.Result("_meta"), mcp.MetaServerInfo) == nil {
			c.Found("", "", nil)
		}
	}},
	{ID: "result-type-missing", On: diagnose.ModernResults, Check: func(c *diagnose.Case) {
		raw := c.Result("resultType")
		switch kind := text(raw); {
		case !modernResponse(c) || kind == "complete" || kind == "input_required" || kind == "task":
		case raw == nil:
			c.Found("none", c.Call.Method, nil)
		case raw[0] != '"':
			c.Found("odd", c.Call.Method+string(words.Clip(raw, 80)), fill{"type": raw})
		case !hasMember(wire.Get(c.Call.Caps, "extensions")):
			c.Found("unknown", c.Call.Method+kind, fill{"type": kind})
		}
	}},
	{ID: "modern-header-missing", On: diagnose.ModernRequests, Check: func(c *diagnose.Case) {
		if !contradicts(c) {
			return
		}
		var missing []string
		mirrors(c.Call, func(w wanted) {
			if c.Exchange.Header(w.name) == "" {
				missing = append(missing, w.name)
			}
		})
		missingAll(c, c.Call.Method, missing, " and ")
	}},
	{ID: "version-refusal-bare", On: diagnose.Errors, Check: func(c *diagnose.Case) {
		switch {
		case c.Dir != wire.ToClient || errorCode(c) != mcp.CodeUnsupportedVersion:
		case strings.Join(supportedVersions(c), "") == "":
			c.Found("supported", "supported", nil)
		case text(wire.Get(c.Message.Error, "data", "requested")) == "":
			c.Found("refused", "refused", nil)
		}
	}},
	{ID: "header-body-mismatch", On: diagnose.ModernRequests, Check: func(c *diagnose.Case) {
		if !contradicts(c) {
			return
		}
		if name, has, want := disagreement(c.Exchange.Header, c.Call); name != "" {
			c.Found("", name+c.Call.Method, fill{"header": name, "has": has, "body": want})
		}
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
