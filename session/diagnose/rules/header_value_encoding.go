package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var headerValueEncoding = &diagnose.Rule{
	ID: "header-value-encoding",
	On: diagnose.ModernRequests,
	Methods: []string{
		mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel,
	},
	Check: func(c *diagnose.Case) {
		if !modernPost(c) || !isEncoded(c.Exchange.RequestHead) {
			return
		}
		if param := mcp.NameParam(c.Call.Method); param != "" {
			badValue(c, mcp.HeaderName, c.Exchange.Header(mcp.HeaderName), text(c.Param(param)))
		}
		eachParamHeader(c.Exchange.RequestHead, func(name, value string) { badValue(c, name, value, "") })
	},
}

// isEncoded says whether a head may hold a value in base64, or one that should
// be.
func isEncoded(head []byte) bool {
	for i, b := range head {
		if b >= 0x7f || b < 0x20 && b != '\r' && b != '\n' && b != '\t' ||
			b == '=' && i+1 < len(head) && head[i+1] == '?' {
			return true
		}
	}
	return false
}

// badValue reports a header that holds what it cannot hold. body is what it
// repeats, "" when that is not known.
func badValue(c *diagnose.Case, name, value, body string) {
	_, ok := mcp.DecodeHeader(value)
	raw := strings.IndexFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r > 0x7e }) >= 0
	what := ""
	switch {
	case raw:
		what = "has unencoded characters beyond ASCII"
	case !ok && value != body:
		what = "begins with =?base64? and is not valid base64"
	case value == body && strings.HasPrefix(value, mcp.EncodedPrefix) && mcp.NeedsEncoding(body):
		what = "is not encoded, although the value itself begins with =?base64?"
	default:
		return
	}
	c.Say(name, "The header "+name+" of "+frame(c.N)+" "+what+": "+quote(value)+".")
}

// eachParamHeader calls yield with every header that repeats an argument.
func eachParamHeader(head []byte, yield func(name, value string)) {
	_, rest := wire.CutLine(head)
	for len(rest) > 0 {
		var line []byte
		line, rest = wire.CutLine(rest)
		if !words.HasPrefix(string(line), mcp.HeaderParamPrefix) {
			continue
		}
		if name, value, ok := strings.Cut(string(line), ":"); ok {
			yield(name, strings.Trim(value, " \t"))
		}
	}
}
