package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var requestRefused = &diagnose.Rule{
	ID:       "request-refused",
	Title:    "The server refused a request with an error",
	Severity: diagnose.Note,
	Side:     diagnose.Unclear,
	// What was refused is certain; whether that is right is not known.
	Confidence: diagnose.Possible,
	On:         diagnose.Refusals | diagnose.Finish | diagnose.Overall,
	Fallback:   true,
	Check: func(c *diagnose.Case) {
		r := diagnose.State[refusals](c)
		if c.Refusal == nil {
			r.report(c)
			return
		}
		if !c.Refusal.RPC || c.Call == nil || c.Call.Dir != wire.ToServer || c.Call.Cancel != 0 ||
			optional(c.Call.Method, c.Refusal.Code) {
			return
		}
		one := refusal{
			frames: []uint64{c.N, c.Call.N}, n: c.N,
			excused: asksFirst(c.Call.Method) || aboutSession(c), usual: tellsSender(c.Refusal.Code),
		}
		if c.Refusal.Code == mcp.CodeInternalError {
			one.side = diagnose.Server
		}
		if c.Exchange != nil {
			one.about = headFrames(c.Exchange)
		}
		key := c.Call.Method + " " + number(c.Refusal.Code)
		r.add(key, one, func() string {
			s := about(c.Call) + " was refused with the error " + number(c.Refusal.Code) + " (" + frame(c.N) + ")"
			if c.Refusal.Text != "" {
				s += ": " + quote(c.Refusal.Text)
			}
			if sent := sentParams(c.Call, c.Refusal.Text); sent != "" {
				return s + ". Sent was " + sent + "."
			}
			return s + "."
		})
	},
}

// tellsSender says whether an error is one by which the protocol tells the sender
// what to do better.
func tellsSender(code int64) bool {
	switch code {
	case mcp.CodeInvalidParams, mcp.CodeMethodNotFound, mcp.CodeResourceNotFound, mcp.CodeURLElicitation,
		mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		return true
	}
	return false
}
