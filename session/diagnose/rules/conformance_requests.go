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
var requestsConformance = []*diagnose.Rule{
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
