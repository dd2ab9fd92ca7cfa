package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var headerBodyMismatch = rule("header-body-mismatch", diagnose.ModernRequests, func(c *diagnose.Case) {
	if !modernPost(c) || !c.Exchange.Contradicts {
		return
	}
	if name, has, want := disagreement(c.Exchange.Header, c.Call); name != "" {
		c.Say(name+c.Call.Method, "The header "+name+" of "+frame(c.N)+" says "+quote(has)+", and the body "+quote(want)+".")
	}
})

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
