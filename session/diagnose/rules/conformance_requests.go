package rules

import (
	"bytes"
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// requestsConformance are the checks of what requests of 2026-07-28 and their retries
// carry, and of what belongs to subscriptions.
var requestsConformance = []formal{
	{
		id: "param-header-wrong", on: diagnose.Requests,
		methods: []string{mcp.ToolsCall}, when: asksHeaders,
		check: func(c *diagnose.Case) {
			t, args := c.Facts.Tools[c.Call.Target], c.Param("arguments")
			for _, h := range schema.Headers(t.Input) {
				if h.Bad != "" {
					return // the tool should not have been called
				}
				if what := paramFault(c.Exchange.RequestHead, h, wire.Get(args, h.Path...)); what != "" {
					c.Say(t.Name+h.Name, "The call of "+quote(t.Name)+" ("+frame(c.N)+") "+what+", as its definition ("+frame(t.N)+") requires by x-mcp-header.",
						c.N, t.N)
				}
			}
		},
	},
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

// paramFault says what is wrong with the header that repeats an argument, ""
// for nothing.
func paramFault(head []byte, h schema.Header, arg []byte) string {
	name := mcp.HeaderParamPrefix + h.Name
	value := wire.HeadValue(head, name)
	fields, ok := wire.ParseHead(head)
	there := value != "" || ok && fields.Has(name)
	absent := arg == nil || string(arg) == "null"
	switch {
	case absent && there:
		return "has " + name + ": " + quote(value) + " without that argument"
	case absent:
		return ""
	case !there && string(arg) == `""`: // an empty header may be dropped on the way
		return ""
	case !there:
		return "has the argument " + quote(strings.Join(h.Path, ".")) + " and lacks " + name
	}
	decoded, ok := mcp.DecodeHeader(value)
	if !ok || sameArgument(decoded, arg) {
		return ""
	}
	return "says " + quote(decoded) + " in " + name + " and " + quote(string(arg)) + " in its arguments"
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
