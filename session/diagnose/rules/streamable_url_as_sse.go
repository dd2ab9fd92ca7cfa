package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamableURLAsSSE = rule("streamable-url-as-sse", diagnose.OtherResponses|diagnose.Requests|diagnose.Overall,
	func(c *diagnose.Case) {
		m := diagnose.Memory[sseAttempt](c)
		x := c.Exchange
		switch {
		case c.Row < 0 && x == nil:
			m.report(c)
		case x == nil:
		case c.Kind == messageKind: // a client speaks Streamable HTTP, or has found the right endpoint
			if m.path != "" && c.Call.Method == mcp.Initialize {
				*m = sseAttempt{}
			}
		case isSSEAttempt(c):
			if m.count++; m.count == 1 {
				m.path, m.status, m.first = x.Path, int(x.Status), headFrames(x)
				return
			}
			if m.count >= triesInEarnest {
				m.report(c)
			}
		}
	})

// triesInEarnest is how often a client asks in vain before that is no probe.
const triesInEarnest = 4

// sseAttempt is a stream that was asked for outside of a session, and refused.
type sseAttempt struct {
	path   string // "" for none, and when it was reported
	status int
	count  int
	first  []uint64
}

func isSSEAttempt(c *diagnose.Case) bool {
	x := c.Exchange
	if x.Status != 400 && x.Status != 404 && x.Status != 405 && x.Status != 406 || !isStreamGet(x) {
		return false
	}
	if listsToken(wire.HeadValues(x.RequestHead, "Accept"), mediaJSON) {
		return false // a client of HTTP+SSE takes nothing but a stream
	}
	return (c.Facts == nil || c.Facts.Init == nil && !c.Session.Modern) &&
		x.Header(mcp.HeaderSessionID) == "" && x.Header(mcp.HeaderVersion) == "" && x.Header(mcp.HeaderLastEventID) == ""
}

func (m *sseAttempt) report(c *diagnose.Case) {
	if m.path == "" {
		return
	}
	c.Say("", c.Client()+" asked for an event stream with GET "+m.path+" ("+frame(m.first[len(m.first)-1])+") outside of any session, got "+httpStatus(m.status)+", and posted no initialize.",
		m.first...)
	m.path = ""
}
