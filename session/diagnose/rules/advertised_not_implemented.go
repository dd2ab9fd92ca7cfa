package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var advertisedNotImplemented = &diagnose.Rule{
	ID: "advertised-not-implemented",
	On: diagnose.Results | diagnose.Errors,
	Methods: []string{
		mcp.Discover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
		mcp.Complete, mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.ResourcesSubscribe,
		mcp.ResourcesUnsubscribe,
		mcp.LogSetLevel, mcp.TasksList, mcp.TasksCancel,
		mcp.RootsList, mcp.SamplingCreateMessage, mcp.ElicitationCreate,
	},
	Check: func(c *diagnose.Case) {
		if c.Call == nil {
			return
		}
		if c.Dir == wire.ToServer {
			clientLacks(c)
			return
		}
		if c.Message.Kind == wire.MsgResult || !knowsNoMethod(c) || !c.IsModern() && !c.Facts.Negotiated() {
			return
		}
		made := c.Facts.Offered
		gate := serverGates[c.Call.Method]
		if !diagnose.Capability(made.Caps, gate...) {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " declared the capability " + quote(strings.Join(gate, ".")) + " (" + frame(made.N) +
				") and does not know " + quote(c.Call.Method) + " (" + frame(c.N) + "): " +
				quote(errorText(c)) + ".",
			Frames: []uint64{c.N, c.Call.N, made.N},
		}
		list := strings.HasSuffix(c.Call.Method, "/list")
		if list && !c.IsModern() || c.Call.Method == mcp.ResourceTemplatesList ||
			c.Call.Method == mcp.LogSetLevel {
			f.Severity = diagnose.Note // only 2026-07-28 demands it, and of lists
		}
		c.ReportAs(c.Call.Method, f)
	},
}

// knowsNoMethod says whether the error in hand says that its sender has no such method:
// by the code, unless it is what a call asks for that is not there, or by the words.
func knowsNoMethod(c *diagnose.Case) bool {
	said := diagnose.Refusal{Text: errorText(c), Code: int64(errorCode(c))}
	if c.Call.Target != "" && sdkwords.SaysUnknownName(said.Text, c.Call.Target) || byTransport(c) {
		return false
	}
	if said.Words().Own() && !said.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented, sdkwords.CapabilityMissing) {
		return false // some SDKs have one code for whatever is wrong with a request
	}
	if c.Call.Method == mcp.ToolsCall { // the code has another meaning for tasks
		// A tool may quote what another side said to it.
		return wire.Get(c.Call.Params, "task") == nil && said.Means(sdkwords.MethodUnknown) &&
			said.Code != mcp.CodeInternalError
	}
	if errorCode(c) == mcp.CodeMethodNotFound {
		return c.Call.Target == "" || !strings.Contains(said.Text, c.Call.Target) || said.Says("method")
	}
	return said.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented)
}

// clientLacks reports a client that declared a capability and does not know its method.
func clientLacks(c *diagnose.Case) {
	if c.Message.Kind != wire.MsgError || !c.Facts.Negotiated() || !assigned(c) || !knowsNoMethod(c) {
		return
	}
	name, _, _ := strings.Cut(c.Call.Method, "/")
	if !diagnose.Capability(c.Facts.Init.ClientCaps, name) {
		return
	}
	c.ReportAs(c.Call.Method, withAdvice("no handler for what is declared", diagnose.Finding{
		Side: diagnose.Client,
		Message: c.Client() + " declared the capability " + quote(name) + " (" + frame(c.Facts.Init.N) +
			") and does not know " + quote(c.Call.Method) + " (" + frame(c.N) + "): " + quote(errorText(c)) + ".",
		Frames: []uint64{c.N, c.Call.N, c.Facts.Init.N},
	}))
}
