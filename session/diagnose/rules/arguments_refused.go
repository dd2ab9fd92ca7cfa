package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var argumentsRefused = &diagnose.Rule{
	ID: "arguments-refused", On: diagnose.FailedCalls, Methods: []string{mcp.ToolsCall, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || c.Facts == nil {
			return
		}
		said := failure(c)
		if said == "" || !blamesArguments(c, said) {
			return
		}
		if c.Call.Method == mcp.PromptsGet {
			promptRefused(c, said)
			return
		}
		t, args := checkable(c)
		if t == nil || len(diagnose.Memory[validators](c).check(nil, t, true, args)) > 0 {
			return // that is what is wrong, and other rules say so
		}
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, t.N}}
		f.Message = "The arguments of " + about(c.Call) + " fit its inputSchema (" + frame(t.N) + "), and the server refused them (" + frame(c.N) + "): " + quoteLong(said) + "."
		if c.Message.Kind == wire.MsgResult {
			f.Severity, f.Seen = diagnose.Note, true // a tool knows more than a schema can say
		}
		c.ReportAs(c.Call.Target, f)
	},
}

// checkable is the tool of the call in hand with the arguments that its inputSchema can be held
// against; nil where there is no such schema, or the arguments are no object.
func checkable(c *diagnose.Case) (t *diagnose.Tool, args []byte) {
	t = c.Facts.Tools[c.Call.Target]
	if t == nil || len(t.Input) == 0 || t.Input[0] != '{' {
		return nil, nil
	}
	if args = wire.Get(c.Call.Params, "arguments"); args == nil {
		args = []byte("{}")
	}
	if args[0] != '{' { // the schema of the message says so
		return nil, nil
	}
	return t, args
}

// blamesArguments says whether a failure speaks of what was sent with the call.
func blamesArguments(c *diagnose.Case, said string) bool {
	r := diagnose.Refusal{Text: said, Code: errorCode(c)}
	other := blamesHandshake(&r) || blamesSession(&r) || sdkwords.SaysUnknownName(said, c.Call.Target) ||
		r.Means(sdkwords.ToolUnknown, sdkwords.PromptUnknown, sdkwords.TaskUnknown, sdkwords.Disabled) ||
		r.Code == mcp.CodeMissingCapability
	if c.Message.Kind == wire.MsgError && other {
		return false
	}
	k := kindOf(c.Call.Method)
	switch {
	case k != nil && k.errs(c) || r.Says("header", "_meta", "session", "protocol version"):
		return false
	case sdkwords.Program(said).Means(sdkwords.BadParams) || r.Means(sdkwords.BadParams):
		return true
	}
	return r.Code != mcp.CodeInternalError && r.Says("argument", "parameter") && r.Says("missing", "required", "invalid", "expected", "must")
}

// promptRefused says which required argument of a prompt is missing or empty.
func promptRefused(c *diagnose.Case, said string) {
	l := listOf(c, kindOf(mcp.PromptsGet))
	if l == nil {
		return
	}
	for _, name := range l.required[c.Call.Target] {
		value := wire.Get(c.Call.Params, "arguments", name)
		what := "leaves out"
		if string(value) == `""` {
			what = "sends as an empty string"
		} else if len(value) > 0 && string(value) != "null" {
			continue
		}
		c.ReportAs(c.Call.Target+name, withAdvice("prompt without its arguments", diagnose.Finding{
			Side: diagnose.Client, Frames: []uint64{c.N, c.Call.N},
			Message: c.Client() + " " + what + " the argument " + quote(name) + " of " + about(c.Call) + ", which the prompt requires, and the server refused it (" + frame(c.N) + "): " + quoteLong(said) + ".",
		}))
		return
	}
}
