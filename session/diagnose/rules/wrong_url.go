package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var wrongURL = rule("wrong-url",
	diagnose.Refusals|diagnose.OddBodies|diagnose.OtherResponses|diagnose.Results|
		diagnose.Finish|diagnose.Overall|diagnose.SSE,
	func(c *diagnose.Case) {
		x := c.Exchange
		switch {
		case c.Kind == responseKind && isStreamGet(x) && diagnose.Memory[pageForStream](c).note(c):
		case c.Row < 0 && x == nil && c.Session == nil:
			diagnose.Memory[pageForStream](c).report(c)
		case c.Row < 0 && x == nil: // the recording is over
			diagnose.State[miss](c).report(c)
		case x == nil || c.Session == nil:
		case c.Kind == sseKind:
			if x.Verb == "POST" && x.Calls > 0 && c.SSE.Name == "endpoint" && c.Facts.LastOK == 0 {
				streamForPost(c)
			}
		case c.Message.Result != nil && c.Kind == messageKind:
			diagnose.Memory[served](c).add(x.Path)
		case c.Kind == responseKind:
			if isStreamGet(x) {
				diagnose.State[miss](c).fallback(c)
			}
		case x.Verb != "POST" || x.Calls == 0 || x.Header(mcp.HeaderSessionID) != "":
		case c.Refusal != nil && isProbe(c) && asksForSession(c.Refusal):
			oldTransport(c)
		default:
			missed(c)
		}
	})

// served are the paths at which an MCP server responded, the latest last.
type served struct{ paths []string }

const maxPaths = 64

func (s *served) add(path string) {
	if n := len(s.paths); n > 0 && s.paths[n-1] == path || n >= maxPaths || slices.Contains(s.paths, path) {
		return
	}
	s.paths = append(s.paths, path)
}

// miss is what came in the place of MCP at the beginning of a session.
type miss struct {
	path  string // "" for none
	first diagnose.Finding
	count int
	by    string // what stands before the server and made the page, "" for none
}

// missed follows a POST that no MCP server responded.
func missed(c *diagnose.Case) {
	x := c.Exchange
	html := wire.IsMediaType(x.ResponseHeader("Content-Type"), "text/html")
	absent := x.Status == 404 || x.Status == 405 || x.Status == 410 || x.Status == 501
	guarded := x.Status >= 500 || x.Status >= 300 && x.Status < 400 || x.Status == 401 || x.Status == 403 ||
		x.Status == 413 || x.Status == 414 || x.Status == 429 || x.Status == 431 ||
		x.Status == 400 && (c.Refusal == nil || c.Refusal.Means(sdkwords.TooLarge, sdkwords.HeadTooLarge))
	if !absent && (!html || guarded) || isSSE(c) || c.Refusal != nil && (c.Refusal.RPC || aboutSession(c)) ||
		slices.Contains(diagnose.Memory[served](c).paths, x.Path) {
		return
	}
	m := diagnose.State[miss](c)
	if m.count++; m.count == 1 {
		m.path, m.first = x.Path, noEndpoint(c, html)
	}
	if name, _, _ := strings.Cut(between(x), "/"); html && name != "" && hasWord(string(c.Data), words.Fold(name)) {
		m.by = name
	}
	if m.count > 1 && !isProbe(c) || html && x.Status < 300 {
		m.report(c)
	}
}

// asksForSession says whether a refusal asks for the id of a session of HTTP+SSE, which
// stands in the URL: that of Streamable HTTP stands in a header, and is named so.
func asksForSession(r *diagnose.Refusal) bool {
	if r.Status < 400 || r.Status >= 500 && !r.Means(sdkwords.StreamGone) || r.Says("header", "mcp-session-id") {
		return false
	}
	return r.Means(sdkwords.SessionInURL)
}

// oldTransport follows a message that was posted where HTTP+SSE takes messages. The
// client may go on to ask for the stream.
func oldTransport(c *diagnose.Case) {
	if isSSE(c) && c.Session.IDSource == session.IDEndpoint || c.Facts.LastOK != 0 ||
		slices.Contains(diagnose.Memory[served](c).paths, c.Exchange.Path) {
		return
	}
	m := diagnose.State[miss](c)
	if m.count++; m.count > 1 {
		return
	}
	x := c.Exchange
	m.path, m.first = x.Path, withAdvice("messages of HTTP+SSE", diagnose.Finding{
		Frames: headFrames(x),
		Message: target(x) + " with " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)) +
			", which asks for the session id of the old transport HTTP+SSE" + because(c) + ".",
	})
}

// isProbe says whether the call in hand may be followed by a fallback: a
// client tries the era first, then Streamable HTTP, then HTTP+SSE.
func isProbe(c *diagnose.Case) bool {
	name := rowName(c)
	return name == mcp.Initialize || name == mcp.Discover
}

// fallback follows a client that asks for HTTP+SSE after its POST was refused:
// a stream makes all good.
func (m *miss) fallback(c *diagnose.Case) {
	switch x := c.Exchange; {
	case m.path != x.Path:
	case x.IsStream:
		*m = miss{}
	case x.Status >= 400, wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML):
		m.noStream(x)
		m.report(c)
	}
}

// noStream takes what came in the place of a stream: the old transport is not there either.
func (m *miss) noStream(x *session.Exchange) {
	f := &m.first
	if f.Side == diagnose.Gateway {
		return
	}
	advise(f, "neither transport there")
	if x.Status < 400 {
		f.Message += " " + target(x) + " (" + frame(x.RequestN) + ") got a web page."
		if m.by != "" && strings.HasPrefix(between(x), m.by) {
			f.Message += " Both are of " + quote(m.by) + " itself."
			advise(f, "no route to the server")
		}
	}
}

// noEndpoint says what came in the place of MCP.
func noEndpoint(c *diagnose.Case, html bool) diagnose.Finding {
	x := c.Exchange
	f := diagnose.Finding{
		Frames:  headFrames(x),
		Message: target(x) + " with " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)),
	}
	if html {
		f.Message += " and a web page"
	}
	f.Message += ", not with MCP."
	if by := gateOf(c); html && by != "" {
		f.Side = diagnose.Gateway
		f.Message += " The page is one of what stands before the server: " + by + "."
		advise(&f, "page before the server")
		return f
	}
	if x.Status == 405 || strings.HasSuffix(strings.TrimSuffix(x.Path, "/"), "/sse") {
		advise(&f, "URL of the old transport")
	}
	return f
}

func (m *miss) report(c *diagnose.Case) {
	if m.path == "" || c.Facts.LastOK != 0 || slices.Contains(diagnose.Memory[served](c).paths, m.path) {
		return
	}
	f := m.first
	if c.Exchange != nil && uint64(c.Exchange.ResponseN) != f.Frames[0] {
		f.Frames = append(f.Frames, headFrames(c.Exchange)...)
	}
	m.path = ""
	c.ReportAs("", f)
}

// gateOf says by what a web page shows that it is not of the server, but of what stands
// before it; "" for nothing.
func gateOf(c *diagnose.Case) string {
	head := words.Fold(string(c.Exchange.ResponseHead))
	for _, name := range []string{"ngrok-error-code", "cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action", "x-sucuri-block"} {
		if strings.Contains(head, "\r\n"+name+":") {
			return "its head has " + quote(name)
		}
	}
	page := words.Fold(string(words.Clip(c.Data, 16<<10)))
	for _, word := range []string{
		"type=\"password\"", "captcha", "sign in to", "log in to continue", "please log in", "please sign in", "verify you are human",
		"checking your browser", "just a moment", "enable javascript and cookies", "attention required", "you are about to visit", "tunnel website ahead", "access denied", "request blocked",
	} {
		if strings.Contains(page, word) {
			return "it says " + quote(word)
		}
	}
	return ""
}

// pageForStream is what came in the place of the stream by which a client of HTTP+SSE begins.
type pageForStream struct {
	path  string
	first diagnose.Finding
}

func (p *pageForStream) note(c *diagnose.Case) bool {
	x := c.Exchange
	media := x.ResponseHeader("Content-Type")
	if x.Status != 200 || x.IsStream || media == "" || c.Facts != nil && c.Facts.Init != nil || x.SessionID != "" ||
		x.Header(mcp.HeaderVersion) != "" {
		return false
	}
	if p.path == "" {
		p.path = x.Path
		p.first = diagnose.Finding{Frames: headFrames(x)}
		p.first.Message = c.Client() + " asked for an event stream with " + target(x) + " (" + frame(x.RequestN) + "), and got HTTP 200 and Content-Type " + quote(media)
		if wire.IsMediaType(media, "text/html") {
			p.first.Message += ", a web page"
		}
		p.first.Message += ". There is no MCP stream at this URL."
		advise(&p.first, "another program there")
	}
	return true
}

func (p *pageForStream) report(c *diagnose.Case) {
	if p.path != "" && !slices.Contains(diagnose.Memory[served](c).paths, p.path) {
		c.ReportAs("stream", p.first)
	}
}

// streamForPost reports a server of HTTP+SSE that opens its stream for a POST as well.
func streamForPost(c *diagnose.Case) {
	x := c.Exchange
	f := diagnose.Finding{Side: diagnose.Server, Frames: append([]uint64{c.N}, headFrames(x)...)}
	f.Message = target(x) + " with " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") got an event stream that begins with the endpoint event (" + frame(c.N) + ") of the old transport HTTP+SSE. Its response will never come there."
	advise(&f, "stream for a POST")
	c.ReportAs("endpoint", f)
}
