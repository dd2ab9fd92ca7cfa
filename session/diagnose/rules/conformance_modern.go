package rules

import (
	"bytes"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
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
	{ID: "param-header-wrong", On: diagnose.Requests, Methods: toolCalls, Check: func(c *diagnose.Case) {
		if !asksHeaders(c) {
			return
		}
		t, args := c.Facts.Tools[c.Call.Target], c.Param("arguments")
		for _, h := range schema.Headers(t.Input) {
			if h.Bad != "" {
				return // the tool should not have been called
			}
			if says, with := paramFault(c.Exchange.RequestHead, h, wire.Get(args, h.Path...)); says != "" {
				with["list"] = t.N
				c.Found(says, t.Name+h.Name, with, c.N, t.N)
			}
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

// headed remembers of the latest tool whether its schema asks for headers.
type headed struct {
	tool *diagnose.Tool
	yes  bool
}

// asksHeaders says whether the request in hand calls a tool whose schema asks for headers.
func asksHeaders(c *diagnose.Case) bool {
	if !modernPost(c) || c.Facts == nil {
		return false
	}
	h, t := diagnose.Memory[headed](c), c.Facts.Tools[c.Call.Target]
	if h.tool != t {
		h.tool, h.yes = t, t != nil && bytes.Contains(t.Input, []byte(schema.XHeader))
	}
	return h.yes
}

// paramFault is what is wrong with the header that repeats an argument, "" for nothing.
func paramFault(head []byte, h schema.Header, arg []byte) (says string, with fill) {
	name := mcp.HeaderParamPrefix + h.Name
	value := wire.HeadValue(head, name)
	fields, ok := wire.ParseHead(head)
	there, absent := value != "" || ok && fields.Has(name), arg == nil || string(arg) == "null"
	switch {
	case absent && there:
		says = "alone"
	case absent || !there && string(arg) == `""`: // an empty header may be dropped on the way
	case !there:
		says = "missing"
	default:
		decoded, ok := mcp.DecodeHeader(value)
		if value = decoded; ok && !sameArgument(value, arg) {
			says = "differs"
		}
	}
	return says, fill{"header": name, "value": value, "argument": strings.Join(h.Path, "."), "json": string(arg)}
}

// sameArgument compares the value of a header with the argument it repeats.
// Numbers are compared as numbers.
func sameArgument(value string, arg []byte) bool {
	switch arg[0] {
	case '"':
		return value == text(arg)
	case 't', 'f':
		return value == string(arg)
	case '{', '[':
		return true // not what x-mcp-header is for
	}
	if value == string(arg) {
		return true
	}
	a, errA := strconv.ParseFloat(value, 64)
	b, errB := strconv.ParseFloat(string(arg), 64)
	return errA == nil && errB == nil && a == b
}

// modernPost says that the message in hand is a request of a client, posted
// under 2026-07-28.
func modernPost(c *diagnose.Case) bool {
	return c.Modern && c.Exchange != nil && c.Dir == wire.ToServer && c.Call != nil &&
		c.Session.Transport != session.TransportSSE
}

// contradicts says whether the head of such a request does not repeat its body.
func contradicts(c *diagnose.Case) bool { return modernPost(c) && c.Exchange.Contradicts }

// modernResponse says that the message in hand responds to a client's request of
// 2026-07-28, from a server that serves it.
func modernResponse(c *diagnose.Case) bool {
	return c.Call != nil && c.Call.Modern && c.Call.Dir == wire.ToServer && c.Facts != nil && c.Facts.ServesModern
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
		yield(wanted{mcp.HeaderVersion, string(call.Version), false})
	}
	yield(wanted{mcp.HeaderMethod, call.Method, false})
	if param := mcp.NameParam(call.Method); param != "" {
		if v := text(wire.Get(call.Params, param)); v != "" {
			yield(wanted{mcp.HeaderName, v, true})
		}
	}
}

// resultType is what kind of result a response of 2026-07-28 is; "" means
// complete, as clients take it.
func resultType(c *diagnose.Case) string { return text(c.Result("resultType")) }
