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
		id: "input-required-unexpected", on: diagnose.ModernResults,
		wrong: func(c *diagnose.Case) (key, says string) {
			if !modernResponse(c) || mcp.TakesInput(c.Call.Method) || resultType(c) != "input_required" {
				return
			}
			return c.Call.Method, c.Server() + " responded to " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") by asking for input (" + frame(c.N) + "), which it may do for tools/call, prompts/get and resources/read only."
		},
	},
	{
		id: "modern-response-posted", on: diagnose.Replies,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Exchange == nil || c.Dir != wire.ToServer ||
				!mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
				return
			}
			return "", c.Client() + " posted a response (" + frame(c.N) + ", id " + string(c.Message.ID) + ") under 2026-07-28, where only requests and notifications are posted."
		},
	},
	{
		id: "legacy-error-code", on: diagnose.Errors,
		wrong: func(c *diagnose.Case) (key, says string) {
			code, ok := wire.Int(wire.Get(c.Message.Error, "code"))
			old := code >= mcp.CodesLegacyFrom && code <= mcp.CodesLegacyTo && code != mcp.CodeResourceNotFound
			if c.Call == nil || c.Dir != wire.ToClient || !ok || !old && code != 0 || !speaksModern(c) {
				return
			}
			return number(code), c.Server() + " refused " + about(c.Call) + " with the code " + number(code) + ": " + quote(errorText(c)) + "."
		},
	},
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
		id: "server-cancelled-call", on: diagnose.Notifications, methods: []string{mcp.NotifyCancelled},
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Dir != wire.ToClient || c.Parent == nil || !c.Parent.Modern || c.Parent.Dir != wire.ToServer ||
				mcp.StaysOpen(c.Parent.Method) {
				return
			}
			if id := string(c.Param("requestId")); id == "" || !sameToken(id, c.Parent.ID) {
				return
			}
			return "", c.Server() + " cancelled the request " + quote(c.Parent.Method) + " (" + frame(c.Parent.N) + ") of its client (" + frame(c.N) + ")."
		},
	},
	{
		id: "header-mismatch-accepted", on: diagnose.ModernResults,
		wrong: func(c *diagnose.Case) (key, says string) {
			if !modernResponse(c) || c.Exchange == nil || !c.Exchange.Contradicts || c.Exchange.Status >= 300 ||
				c.Exchange.X != c.Call.X {
				return
			}
			what := ""
			mirrors(c.Call, func(w wanted) {
				if what == "" && c.Exchange.Header(w.name) == "" {
					what = "lacks the header " + w.name
				}
			})
			if name, has, want := disagreement(c.Exchange.Header, c.Call); what == "" && name != "" {
				what = "says " + quote(has) + " in the header " + name + " and " + quote(want) + " in its body"
			}
			if what == "" {
				return
			}
			return "", "The request " + frame(c.Call.N) + " " + what + ", and the server executed it (" + frame(c.N) + ")."
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
		id: "task-result-undeclared", on: diagnose.ModernResults,
		wrong: func(c *diagnose.Case) (key, says string) {
			if !modernResponse(c) || resultType(c) != "task" || c.Call.Method == mcp.TasksGet {
				return
			}
			what := ""
			switch {
			case c.Call.Method != mcp.ToolsCall:
				what = ", which is allowed only for tools/call"
			case len(c.Call.Caps) > 0 && wire.Get(c.Call.Caps, "extensions", mcp.ExtensionTasks) == nil:
				what = ", and the request does not declare the extension " + mcp.ExtensionTasks
			default:
				return
			}
			return c.Call.Method, c.Server() + " responded to " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") with a task (" + frame(c.N) + ")" + what + "."
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
		id: "undefined-error-code", on: diagnose.Errors,
		wrong: func(c *diagnose.Case) (key, says string) {
			code := errorCode(c)
			reserved := code >= mcp.CodesProtocolFrom && code < mcp.CodeUnsupportedVersion
			if c.Call == nil || c.Dir != wire.ToClient ||
				!reserved && code != mcp.CodeResourceNotFound && code != mcp.CodeURLElicitation || !speaksModern(c) {
				return
			}
			return number(code), c.Server() + " refused " + about(c.Call) + " with the code " + number(code) + ", which protocol version 2026-07-28 does not define: " + quote(errorText(c)) + "."
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
	{
		id: "modern-progress-token", on: diagnose.Notifications, methods: []string{mcp.NotifyProgress},
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Dir != wire.ToClient || c.Blind() {
				return
			}
			token := string(c.Param("progressToken"))
			if token == "" { // the schema's business
				return
			}
			if c.Parent != nil && !c.Parent.Modern {
				return
			}
			switch {
			case c.Parent == nil:
				return "none", "Progress with the token " + token + " (" + frame(c.N) + ") belongs to no pending request."
			case c.Parent.Token == "":
				return "unasked", "Progress with the token " + token + " (" + frame(c.N) + ") came on the stream of " + quote(c.Parent.Method) + " (" + frame(c.Parent.N) + "), which has no token."
			case !sameToken(c.Parent.Token, token):
				return "other", "Progress with the token " + token + " (" + frame(c.N) + ") came on the stream of " + quote(c.Parent.Method) + " (" + frame(c.Parent.N) + "), whose token is " +
					c.Parent.Token + "."
			}
			return
		},
	},
	{
		id: "modern-status-wrong", on: diagnose.Errors,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Call == nil || c.Exchange == nil || c.Call.Dir != wire.ToServer || c.Exchange.X != c.Call.X ||
				!c.Call.Modern {
				return
			}
			code, _ := wire.Int(wire.Get(c.Message.Error, "code"))
			want := uint16(0)
			switch {
			case code == mcp.CodeHeaderMismatch || code == mcp.CodeMissingCapability ||
				code == mcp.CodeUnsupportedVersion:
				want = 400
			case code == mcp.CodeInvalidParams && c.Facts.ServesModern &&
				wire.Get(c.Call.Params, "_meta", mcp.MetaClientCapabilities) == nil && c.Call.Params != nil:
				want = 400
			case code == mcp.CodeMethodNotFound && c.Facts.ServesModern && !namesTarget(c.Call.Method):
				want = 404
			}
			if want == 0 || c.Exchange.Status == want {
				return
			}
			return number(code), "The error " + number(code) + " to " + quote(c.Call.Method) + " (" + frame(c.N) + ") came with status " +
				number(c.Exchange.Status) + ", and must have the status " + number(want) + "."
		},
	},
	{
		id: "caching-hints-missing", on: diagnose.ModernResults,
		methods: []string{
			mcp.Discover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
			mcp.ResourcesRead, mcp.SkillsList, mcp.SkillsGet,
		},
		when:  modernResponse,
		check: checkCaching,
	},
}

// speaksModern says that the server in hand has responded in the way of
// 2026-07-28 before. What an older one says to a probe follows older rules.
func speaksModern(c *diagnose.Case) bool {
	return c.Call.Modern && c.Facts != nil && c.Session.Modern && c.Facts.LastOK != 0
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

// namesTarget says whether a method is about something that may not exist: some
// servers respond with -32601 for a tool that they do not have.
func namesTarget(method string) bool {
	switch method {
	case mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.Complete:
		return true
	}
	return false
}

// page is what the latest page of a list said.
type page struct {
	cursor, scope string
	n             uint64
}

func checkCaching(c *diagnose.Case) {
	ttl, scope := c.Result("ttlMs"), c.Result("cacheScope")
	if kind := resultType(c); kind != "" && kind != "complete" {
		if kind == "input_required" && (ttl != nil || scope != nil) {
			c.ReportAs("input", diagnose.Finding{
				Severity: diagnose.Note,
				Message:  "The response to " + quote(c.Call.Method) + " (" + frame(c.N) + ") asks for input and has caching hints. A result that asks for input cannot be cached.",
				Frames:   []uint64{c.N, c.Call.N},
			})
		}
		return
	}
	what := ""
	switch n, whole := wire.Int(ttl); {
	case ttl == nil && scope == nil:
		what = "has neither ttlMs nor cacheScope"
	case ttl == nil:
		what = "has no ttlMs"
	case whole && n < 0, !whole && !isWholeNumber(ttl):
		what = "has " + quoteJSON(ttl) + " for ttlMs, which must be an integer, 0 or more"
	case scope == nil:
		what = "has no cacheScope"
	case text(scope) != "public" && text(scope) != "private":
		what = "has " + quoteJSON(scope) + " for cacheScope, which must be “public” or “private”"
	}
	if what != "" {
		c.Say(c.Call.Method+what, "The result of "+quote(c.Call.Method)+" ("+frame(c.N)+") "+what+".", c.N, c.Call.N)
		return
	}
	comparePages(c, text(scope))
}

// comparePages: all pages of a list have one scope.
func comparePages(c *diagnose.Case, scope string) {
	latest := made(diagnose.State[map[string]page](c))
	before, known := latest[c.Call.Method]
	if cursor := text(wire.Get(c.Call.Params, "cursor")); known && cursor != "" && cursor == before.cursor &&
		scope != before.scope {
		c.Say(c.Call.Method+"scope", "One page of "+quote(c.Call.Method)+" ("+frame(before.n)+") is "+before.scope+", and the next one ("+frame(c.N)+") "+scope+". All pages of a list have one cacheScope.",
			c.N, before.n)
	}
	if next := text(c.Result("nextCursor")); next != "" {
		latest[c.Call.Method] = page{next, scope, c.N}
	}
}

// isWholeNumber says whether a number that does not fit into 64 bits, or is
// written with a fraction or an exponent, is whole and not negative all the
// same.
func isWholeNumber(raw []byte) bool {
	if len(raw) == 0 || raw[0] < '0' || raw[0] > '9' {
		return false
	}
	for i, b := range raw {
		if b == '.' {
			for _, d := range raw[i+1:] {
				if d != '0' {
					return false
				}
			}
			return true
		}
		if b == 'e' || b == 'E' {
			return true // who writes it so may mean it
		}
	}
	return true
}
