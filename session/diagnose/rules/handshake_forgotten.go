package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/words"
)

var handshakeForgotten = rule("handshake-forgotten", diagnose.Refusals, func(c *diagnose.Case) {
	in := initOf(c)
	if c.Session != nil && c.Session.State == session.StateClosed { // its client ended it
		return
	}
	if c.Call == nil && in != nil && in.OK {
		forgottenAtOnce(c, in)
		return
	}
	if c.Call == nil || in == nil || !in.OK || c.Call.Modern || c.Call.Method == mcp.Initialize ||
		c.Call.N < in.ResponseN || c.Facts.Results > 0 && !forgetsLater(c) {
		return
	}
	// A request that did not wait for the end of the handshake is a race.
	eager := c.Facts.Initialized == 0 || c.Call.N < c.Facts.Initialized
	switch {
	case !blamesHandshake(c.Refusal) && (c.Session.ID == "" || !blamesSession(c.Refusal)) || c.Refusal.Status >= 500:
		return
	case c.Exchange != nil && c.Session.ID != "" && c.Exchange.SessionID != c.Session.ID:
		return // it lacks the id, or carries another
	case eager && (c.Exchange == nil || c.Refusal.Code == mcp.CodeInvalidParams || c.Refusal.Code == 0):
		return
	case c.Session.Transport == session.TransportSSE:
		return
	}
	f := diagnose.Finding{
		Message: "initialize (" + frame(in.N) + ") succeeded, and the next request, " + c.Call.Method + " (" + frame(c.Call.N) + "), was refused: " + said(c.Refusal) + ".",
		Frames:  []uint64{c.Call.N, c.N, in.N, in.ResponseN},
	}
	if n := c.Facts.Results; n > 0 {
		f.Message = "initialize (" + frame(in.N) + ") and " + words.Count(n, "request") + " after it succeeded, and then " + c.Call.Method + " (" + frame(c.Call.N) + ") was refused as if there had been no handshake: " +
			said(c.Refusal) + "."
		advise(&f, "process of the handshake is gone")
	}
	if c.Exchange != nil && c.Session.ID == "" {
		f.Message += " No response carried an Mcp-Session-Id."
		f.Cause = "The server issued no session id and still expects to find the session: it creates a new transport for every request, or what stands before it removes the header or asks another instance."
		f.Remedies = append(slices.Clone(c.Rule().Help().Remedies), inGateway("let the header Mcp-Session-Id through, both ways, and send all requests of a session to one instance."))
	}
	if cookie := droppedCookie(c.Exchange); cookie != "" {
		f.Side, f.Brief = diagnose.Client, "cookie not sent back"
		f.Message += " The refusal sets the cookie " + quote(cookie) + ", by which a load balancer keeps a session at one instance, and the client sent no cookie."
		advise(&f, "cookie not sent back")
	}
	c.ReportAs("", f)
})

// droppedCookie names the cookie of a load balancer that a client without cookies gets anew,
// "" for none.
func droppedCookie(x *session.Exchange) (name string) {
	if x != nil && x.Header("Cookie") == "" {
		name, _, _ = strings.Cut(x.ResponseHeader("Set-Cookie"), "=")
	}
	if !hasWord(name, "route", "affinity", "sticky", "awsalb", "ingress", "serverid", "gclb") {
		return ""
	}
	return name
}

// forgetsLater says whether a server that has responded with results says that the
// handshake is missing. Where there is a session id, that is what it lost.
func forgetsLater(c *diagnose.Case) bool {
	return c.Session.ID == "" && c.Refusal.Code != mcp.CodeInvalidParams && blamesHandshake(c.Refusal)
}

// forgottenAtOnce looks at notifications/initialized: the first message that needs the
// session.
func forgottenAtOnce(c *diagnose.Case, in *diagnose.Init) {
	x := c.Exchange
	if x == nil || x.Verb != "POST" || x.Messages == 0 || x.Calls > 0 || c.Session.ID == "" || c.Facts.Results > 0 ||
		x.SessionID != c.Session.ID || !blamesSession(c.Refusal) && !blamesHandshake(c.Refusal) || x.Status >= 500 {
		return
	}
	next := "the next message (" + frame(x.RequestN) + ")"
	if name := rowName(c); name != "" {
		next = "the next message, " + name + " (" + frame(x.RequestN) + "),"
	}
	f := diagnose.Finding{Frames: []uint64{uint64(x.RequestN), c.N, in.N, in.ResponseN}}
	f.Message = "initialize (" + frame(in.N) + ") succeeded and issued session id " + quote(c.Session.ID) + ", and " + next +
		" was refused as of an unknown session although it carries the id: " + said(c.Refusal) + "."
	f.Remedies = append(slices.Clone(c.Rule().Help().Remedies), inGateway("let the header Mcp-Session-Id through, both ways."))
	if passedOn(x) || x.ResponseHeader("Via") != "" {
		f.Side = diagnose.Unclear // what stands between may have removed it
	}
	c.ReportAs("", f)
}
