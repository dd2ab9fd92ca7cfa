package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Media types of MCP over HTTP.
const (
	mediaJSON   = "application/json"
	mediaHTML   = "text/html"
	mediaStream = "text/event-stream"
)

// listsToken says whether a header value that is a list has an element, parameters
// and case aside.
func listsToken(value, element string) bool {
	for part := range strings.SplitSeq(value, ",") {
		part, _, _ = strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(part), element) {
			return true
		}
	}
	return false
}

// headFrames are the frames of an exchange, the response first.
func headFrames(x *session.Exchange) []uint64 {
	switch {
	case x.ResponseN == 0:
		return []uint64{uint64(x.RequestN)}
	case x.RequestN == 0:
		return []uint64{uint64(x.ResponseN)}
	}
	return []uint64{uint64(x.ResponseN), uint64(x.RequestN)}
}

func rowName(c *diagnose.Case) string {
	if c.Row < 0 {
		return ""
	}
	return c.Tracker().Name(c.Tracker().Row(int(c.Row)).Name)
}

// rowOf is the row in hand, nil for none.
func rowOf(c *diagnose.Case) *session.Row {
	if c.Row < 0 {
		return nil
	}
	return c.Tracker().Row(int(c.Row))
}

func isStreamGet(x *session.Exchange) bool {
	return x.Verb == "GET" && listsToken(wire.HeadValues(x.RequestHead, "Accept"), mediaStream)
}

// isMCP says whether an exchange is one of Streamable HTTP: a message posted,
// or a stream or the end of a session asked for at the endpoint.
func isMCP(c *diagnose.Case) bool {
	x := c.Exchange
	switch {
	case x.Messages > 0:
		return true
	case c.Session == nil || c.Session.Endpoint != x.Path:
		return false
	case x.Verb == "DELETE", x.Verb == "POST": // refused before its body came
		return x.Header(mcp.HeaderSessionID) != ""
	}
	return isStreamGet(x)
}

// isSSE says whether the session in hand talks HTTP+SSE of 2024-11-05.
func isSSE(c *diagnose.Case) bool {
	return c.Session != nil && c.Session.Transport == session.TransportSSE
}

// isSure says whether it was seen that the session in hand is one of
// Streamable HTTP: negotiated while we watched, named by its header, or
// without a handshake.
func isSure(c *diagnose.Case) bool {
	return c.Session != nil && c.Session.Transport == session.TransportHTTP &&
		(c.Session.Modern || c.Facts.Negotiated() || c.Exchange.Header(mcp.HeaderSessionID) != "")
}

// hasWord says whether a text holds one of the words, which are in lower case.
func hasWord(text string, list ...string) bool { return words.Holds(words.Fold(text), list...) }

// aboutSession says whether a refusal complains of the session or its
// handshake: then other rules know better.
func aboutSession(c *diagnose.Case) bool {
	return c.Refusal.Says("session", "not initialized", "initialization")
}

func supportedVersions(c *diagnose.Case) []string {
	var list []string
	wire.Items(wire.Get(c.Message.Error, "data", "supported"), func(_ int, v []byte) bool {
		list = append(list, text(v))
		return len(list) < 16
	})
	return list
}

func httpStatus(n int) string { return "HTTP " + number(n) }

func target(x *session.Exchange) string { return x.Verb + " " + x.Path }

// What a rule that wants to be asked about several things is asked about.
const (
	messageKind  = session.EventMessage
	requestKind  = session.EventRequest
	responseKind = session.EventResponse
	bodyKind     = session.EventBody
	sseKind      = session.EventSSE
	endKind      = session.EventEnd
	tapKind      = session.EventTap
	connKind     = session.EventConn
	stderrKind   = session.EventStderr
	noiseKind    = session.EventNoise
)

// because quotes the text of a refusal, if it has one.
func because(c *diagnose.Case) string {
	if strings.TrimSpace(c.Refusal.Text) == "" {
		return ""
	}
	return ": " + said(c.Refusal)
}
