package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var unknownMemberRefused = rule("unknown-member-refused", diagnose.Refusals|diagnose.Errors,
	func(c *diagnose.Case) {
		fromClient := c.Refusal == nil && c.Dir == wire.ToServer && c.Call != nil
		if c.Refusal == nil && !fromClient || c.Call == nil ||
			c.Call.Method == mcp.ToolsCall || c.Call.Method == mcp.PromptsGet { // whose arguments have a schema
			return
		}
		r := c.Refusal
		if r == nil {
			r = &diagnose.Refusal{Text: errorText(c), Data: string(wire.Get(c.Message.Error, "data"))}
		}
		if !r.Says("unrecognized field", "unrecognized key", "unrecognized_keys", "unrecognized property", "unrecognised field", "unknown field", "unknown property", "unknown key",
			"additional propert", "additionalproperties", "extra inputs are not permitted", "extra fields not permitted", "extra_forbidden", "not marked as ignorable",
			"could not find member", "unmapped member", "could not be mapped to any .net member") {
			return
		}
		side := diagnose.Server
		if fromClient {
			side = diagnose.Client
		}
		f := diagnose.Finding{Side: side, Frames: []uint64{c.N, c.Call.N}}
		if c.Exchange != nil && c.Refusal != nil {
			f.Frames = append(f.Frames, headFrames(c.Exchange)...)
		}
		f.Message = c.Named(side) + " refused " + about(c.Call) + " because of a member that it does not know (" + frame(c.N) + "): " + quoteLong(r.Text) +
			". Objects of the protocol may have members that a peer does not know; it has to ignore them."
		c.ReportAs(c.Call.Method, f)
	})
