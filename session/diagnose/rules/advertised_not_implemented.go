package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var advertisedNotImplemented = &diagnose.Rule{
	ID:       "advertised-not-implemented",
	Title:    "The server declares a capability and does not know its methods",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.Results | diagnose.Errors,
	Methods: []string{
		mcp.Discover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
		mcp.Complete,
	},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Dir != wire.ToClient {
			return
		}
		if c.Message.Kind == wire.MsgResult {
			if caps := c.Result("capabilities"); c.Call.Method == mcp.Discover && caps != nil {
				*diagnose.State[offer](c) = offer{append([]byte(nil), caps...), c.N}
			}
			return
		}
		if errorCode(c) != mcp.CodeMethodNotFound {
			return
		}
		made := *diagnose.State[offer](c)
		if !c.IsModern() {
			if !c.Facts.Negotiated() {
				return
			}
			made = offer{c.Facts.Init.ServerCaps, c.Facts.Init.ResponseN}
		}
		gate := serverGates[c.Call.Method]
		if !diagnose.Capability(made.caps, gate...) {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " declared the capability " + quote(gate[0]) + " (" + frame(made.n) + ") and does not know " + quote(c.Call.Method) + " (" + frame(c.N) + "): " +
				quote(errorText(c)) + ".",
			Frames: []uint64{c.N, c.Call.N, made.n},
		}
		if !c.IsModern() || c.Call.Method == mcp.ResourceTemplatesList || c.Call.Method == mcp.Complete {
			f.Severity = diagnose.Note // only 2026-07-28 demands it, and of lists
		}
		c.ReportAs(c.Call.Method, f)
	},
}

// offer is what a server of 2026-07-28 says it can do.
type offer struct {
	caps []byte
	n    uint64
}
