package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

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
