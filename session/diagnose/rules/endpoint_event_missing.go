package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var endpointEventMissing = rule("endpoint-event-missing", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if c.Kind == endKind {
		silentStream(c)
		return
	}
	if x.Events != 1 || c.SSE.Name == "endpoint" || len(c.SSE.Data) == 0 || !beginsSSE(c) {
		return
	}
	if _, ok := wire.ScanMessage(c.SSE.Data); !ok {
		return
	}
	c.Say("", "The first event of the stream that "+target(x)+" opened ("+frame(x.RequestN)+") is a message; the client does not know yet where to post its own.",
		c.N, uint64(x.RequestN))
})

func beginsSSE(c *diagnose.Case) bool {
	x := c.Exchange
	return x.Verb == "GET" && (c.Session == nil || !c.Session.Modern && c.Facts.Init == nil) && x.SessionID == "" &&
		x.Header(mcp.HeaderVersion) == "" && x.Header(mcp.HeaderLastEventID) == ""
}

// silentStream looks at a stream that ended without an event, when no session was open
// at its URL.
func silentStream(c *diagnose.Case) {
	x := c.Exchange
	waited := c.T - x.ResponseT
	if !x.IsStream || x.Events > 0 || !beginsSSE(c) || c.By != wire.ByClient || waited < 2e9 {
		return
	}
	looked := diagnose.Memory[int](c)
	if *looked++; *looked > 32 {
		return
	}
	for _, s := range c.Sessions() {
		if s.Endpoint == x.Path {
			return // a stream of Streamable HTTP, where none need come
		}
	}
	f := withAdvice("silent stream of another transport", diagnose.Finding{
		Message: c.Client() + " opened a stream with " + target(x) + " (" + frame(x.RequestN) + "), outside of any session. In " + seconds(waited) + " no event came, and the client closed it.",
		Frames:  append([]uint64{c.N}, headFrames(x)...),
	})
	if by := between(x); by != "" || strings.HasSuffix(x.Path, "sse") {
		advise(&f, "endpoint event held back")
		if by != "" {
			f.Message += " The response came by way of " + quote(by) + "."
		}
	}
	c.ReportAs("silent", f)
}
