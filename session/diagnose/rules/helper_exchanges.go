package rules

import (
	"net/url"
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

// headerValues returns all values of a header of a raw head, joined by commas as
// RFC 9110 5.3 allows.
func headerValues(raw []byte, name string) string {
	_, rest := wire.CutLine(raw)
	all := ""
	for len(rest) > 0 {
		var line []byte
		line, rest = wire.CutLine(rest)
		if value, ok := wire.CutField(line, name); ok {
			if all != "" {
				all += ", "
			}
			all += strings.Trim(string(value), " \t")
		}
	}
	return all
}

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

// rowName is the method of the row in hand, or what stands for it.
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

// isStreamGet says whether an exchange asks for an event stream.
func isStreamGet(x *session.Exchange) bool {
	return x.Verb == "GET" && listsToken(headerValues(x.RequestHead, "Accept"), mediaStream)
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
	case x.Verb == "DELETE":
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

// hostName splits the port off a host, and the brackets of an IPv6 address.
func hostName(host string) (name, port string) {
	name = words.Fold(host)
	if inside, ok := strings.CutPrefix(name, "["); ok {
		name, port, _ = strings.Cut(inside, "]")
		return name, strings.TrimPrefix(port, ":")
	}
	if strings.Count(name, ":") == 1 {
		name, port, _ = strings.Cut(name, ":")
	}
	return name, port
}

// isLoopback says whether a host, with or without port, is this machine.
func isLoopback(host string) bool {
	name, _ := hostName(host)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasPrefix(name, "127.") || name == "::1"
}

// isInternal says whether a host can mean something only within a private
// network: a private address, or a name that public DNS does not know.
func isInternal(host string) bool {
	name, _ := hostName(host)
	if isLoopback(name) || !strings.ContainsAny(name, ".:") {
		return true
	}
	for _, p := range []string{"10.", "192.168.", "169.254."} {
		if strings.HasPrefix(name, p) && isAddress(name) {
			return true
		}
	}
	for _, s := range []string{".internal", ".local", ".lan", ".svc", ".cluster.local", ".intranet", ".home.arpa"} {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	second, _, _ := strings.Cut(strings.TrimPrefix(name, "172."), ".")
	return strings.HasPrefix(name, "172.") && isAddress(name) && len(second) == 2 && second >= "16" && second <= "31"
}

func isAddress(name string) bool { return strings.Trim(name, "0123456789.") == "" }

// sameHost says whether two hosts are one as a client compares them: case and
// the default port do not matter.
func sameHost(a, b, scheme string) bool {
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return strings.TrimSuffix(words.Fold(a), ":"+port) == strings.TrimSuffix(words.Fold(b), ":"+port)
}

// isUpstream says whether a host is the server behind midwire, by the name or
// the address by which midwire reaches it.
func isUpstream(x *session.Exchange, host string) bool {
	if x.Host != "" && sameHost(host, x.Host, "https") {
		return true
	}
	if x.Upstream == "" || !isLoopback(host) && !isAddressOf(host, x.Upstream) {
		return false
	}
	_, a := hostName(host)
	_, b := hostName(x.Upstream)
	return a == b && (isLoopback(x.Upstream) || isAddressOf(host, x.Upstream))
}

func isAddressOf(host, address string) bool {
	a, _ := hostName(host)
	b, _ := hostName(address)
	return a == b
}

// parseURL reads an absolute URL, nil for anything else.
func parseURL(s string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme == "" || u.Host == "" {
		return nil
	}
	return u
}

// supportedVersions are the versions that an error says the server supports.
func supportedVersions(c *diagnose.Case) []string {
	var list []string
	wire.Items(wire.Get(c.Message.Error, "data", "supported"), func(_ int, v []byte) bool {
		list = append(list, text(v))
		return len(list) < 16
	})
	return list
}

// httpStatus shows an HTTP status within a sentence.
func httpStatus(n int) string { return "HTTP " + number(n) }

// target shows an exchange as a user knows it.
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
