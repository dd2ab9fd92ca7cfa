package intercept

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"midwire/session/wire"
)

// The edits of this file are the closed list of what midwire changes on the
// way. Everything else passes as it came.

// hostEditor replaces the Host of every request by the target's: a remote
// server serves many names from one address. That blinds the server's own
// defence against DNS rebinding, so requests that come from a foreign page are
// refused here.
type hostEditor struct {
	relay  *relay
	framer *wire.HTTPStream
	next   editor
	was    string
}

func (e *hostEditor) edit(p []byte) ([]byte, error) {
	var out []byte
	for len(p) > 0 || e.framer.Ended() {
		inHead := e.framer.InHead()
		tok, n := e.framer.Next(p)
		switch {
		case tok == wire.TokenHead:
			head, ok := e.rewrite(e.framer.Head())
			if !ok {
				return nil, errRefused
			}
			head, _ = e.next.edit(head)
			out = append(out, head...)
		case tok == wire.TokenRaw && e.framer.Head() != nil:
			out = append(out, e.framer.Head()...)
		case !inHead || tok != wire.TokenPart || !e.framer.InMessage(): // the last: a blank line before a head
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out, nil
}

// rest returns a head that was cut off.
func (e *hostEditor) rest() []byte {
	if !e.framer.InHead() {
		return nil
	}
	return e.framer.Rest()
}

// rewrite returns the head with the target's Host. False means that the
// request was refused and the connection is over.
func (e *hostEditor) rewrite(head []byte) ([]byte, bool) {
	host, origin := wire.HeadValue(head, "Host"), wire.HeadValue(head, "Origin")
	for _, name := range []string{host, originHost(origin)} {
		if name != "" && !e.allowed(name) {
			e.refuse(name)
			return nil, false
		}
	}
	now := e.relay.http.Target.Host
	if host != e.was {
		e.was = host
		e.relay.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToServer, Conn: e.relay.id}, wire.Edit{What: "host", Was: host, Now: now})
	}
	return replaceField(head, "Host", now), true
}

// allowed says whether a page from that host may use this tap.
func (e *hostEditor) allowed(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	http := e.relay.http
	return IsLocal(host) || strings.EqualFold(hostport, http.Target.Host) ||
		slices.ContainsFunc(http.AllowHosts, func(a string) bool { return strings.EqualFold(a, host) || strings.EqualFold(a, hostport) })
}

func originHost(origin string) string {
	if u, err := url.Parse(origin); err == nil {
		return u.Host
	}
	return origin
}

func (e *hostEditor) refuse(name string) {
	n := e.relay
	raw := answerBytes("403 Forbidden", fmt.Sprintf("midwire: host or origin %q is not local. If it should be, start midwire with --allow-host %s\n", name, name))
	n.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToClient, Conn: n.id}, wire.Edit{What: "answer", Was: name, Now: "403 Forbidden"})
	n.tap.q.put(n.seen.responses(), n.tap.now(), raw)
	_, _ = n.client.Write(raw)
	closeWrite(n.client)
	n.refused.Store(true)
}

// replaceField returns a copy of the head with the value of one field
// replaced. Spelling and order stay.
func replaceField(head []byte, name, value string) []byte {
	for i := 0; i < len(head); {
		end := i + bytes.IndexByte(head[i:], '\n') + 1
		line := head[i:end]
		if len(line) > len(name) && line[len(name)] == ':' && strings.EqualFold(string(line[:len(name)]), name) {
			out := append([]byte(nil), head[:i+len(name)+1]...)
			out = append(out, ' ')
			out = append(out, value...)
			if bytes.HasSuffix(line, []byte("\r\n")) {
				out = append(out, '\r')
			}
			return append(append(out, '\n'), head[end:]...)
		}
		i = end
	}
	return append([]byte(nil), head...)
}

// getWatcher arms the endpoint editor when a client opens what may be the
// stream of HTTP+SSE. It looks at the beginning of what was read and changes
// nothing.
type getWatcher struct{ watch *endpointEditor }

func (w getWatcher) edit(p []byte) ([]byte, error) {
	if bytes.HasPrefix(p, []byte("GET ")) {
		host := wire.HeadValue(p, "Host")
		if host == "" {
			host = w.watch.relay.http.Listen.Addr().String()
		}
		w.watch.host.Store(&host)
	}
	return p, nil
}

func (getWatcher) rest() []byte { return nil }

// maxEndpoint is the longest endpoint event that is held back. Nobody's URL is
// that long.
const maxEndpoint = 64 << 10

// endpointEditor replaces the origin of an absolute URL in the endpoint event
// of HTTP+SSE (2024-11-05) when it is the server's: the client must send its
// messages through us, and refuses an endpoint of another origin anyway.
//
// It holds back nothing but an event that begins like an endpoint event, and
// only the first event of an answer to a GET.
type endpointEditor struct {
	relay  *relay
	host   atomic.Pointer[string] // what the client calls us; nil when nothing is watched
	framer *wire.HTTPStream       // nil when nothing is watched
	stream bool                   // the head said text/event-stream
	raw    []byte                 // held back, as received
	body   []byte                 // content of raw
}

func (e *endpointEditor) edit(p []byte) ([]byte, error) {
	if e.framer == nil {
		if e.host.Load() == nil {
			return p, nil
		}
		e.framer = wire.NewResponseStream()
		e.framer.Expect("GET")
		e.stream = false
	}
	var out []byte
	for len(p) > 0 && e.framer != nil {
		tok, n := e.framer.Next(p)
		switch tok {
		case wire.TokenHead:
			out = append(out, p[:n]...)
			e.readHead(e.framer.Head())
		case wire.TokenContent:
			n, out = e.content(p[:n], out)
		case wire.TokenEnd, wire.TokenRaw, wire.TokenTrailer:
			out = append(append(out, e.raw...), p[:n]...)
			e.stop()
		default:
			if e.stream {
				e.raw = append(e.raw, p[:n]...)
			} else {
				out = append(out, p[:n]...)
			}
		}
		p = p[n:]
	}
	return append(out, p...), nil
}

func (e *endpointEditor) readHead(head []byte) {
	h, _ := wire.ParseHead(head)
	if h.Status/100 == 1 && h.Status != 101 {
		return
	}
	e.stream = h.Status == 200 && wire.IsMediaType(h.Get("Content-Type"), "text/event-stream") &&
		!h.Has("Content-Encoding") && !h.Has("Content-Length")
	if !e.stream {
		e.stop()
	}
}

func (e *endpointEditor) rest() []byte { return e.raw }

func (e *endpointEditor) stop() {
	e.framer, e.raw, e.body = nil, nil, nil
	e.host.Store(nil)
}

// content looks at content of the stream until it is known whether it begins
// with an endpoint event. It returns how much of p it dealt with.
func (e *endpointEditor) content(p, out []byte) (int, []byte) {
	e.raw = append(e.raw, p...)
	e.body = append(e.body, p...)
	block, state := firstEvent(e.body)
	switch {
	case state == eventOpen && len(e.raw) <= maxEndpoint:
		return len(p), out
	case state == eventEndpoint:
		if now, ok := e.replace(block); ok {
			rest := e.body[len(block):]
			now = append(now, rest...)
			out = e.reframe(now, out)
			e.stop()
			return len(p), out
		}
	}
	out = append(out, e.raw...)
	e.stop()
	return len(p), out
}

type eventState int

const (
	eventOther    eventState = iota // something else
	eventOpen                       // may become an endpoint event
	eventEndpoint                   // block is a complete endpoint event
)

// firstEvent says whether the stream begins with an endpoint event.
func firstEvent(body []byte) (block []byte, state eventState) {
	for _, start := range []string{"event: endpoint", "event:endpoint"} {
		n := min(len(start), len(body))
		if string(body[:n]) != start[:n] {
			continue
		}
		if n < len(start) {
			return nil, eventOpen
		}
		var f wire.EventFramer
		f.Feed(body, func(raw []byte) {
			if block == nil {
				block = append([]byte(nil), raw...)
			}
		})
		if block == nil {
			return nil, eventOpen
		}
		if wire.ParseEvent(block).Name == "endpoint" {
			return block, eventEndpoint
		}
	}
	return nil, eventOther
}

// replace returns the event with our origin in place of the server's. False
// means that it needs no change: a relative URL, or one of a third origin.
func (e *endpointEditor) replace(block []byte) ([]byte, bool) {
	was := string(wire.ParseEvent(block).Data)
	host := e.host.Load()
	u, err := url.Parse(was)
	if err != nil || host == nil || !sameOrigin(u, e.relay.http.Target) {
		return nil, false
	}
	i := strings.Index(was, u.Host)
	now := "http://" + *host + was[i+len(u.Host):]
	if now == was {
		return nil, false
	}
	e.relay.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToClient, Conn: e.relay.id}, wire.Edit{What: "endpoint", Was: was, Now: now})
	return bytes.Replace(block, []byte(was), []byte(now), 1), true
}

// sameOrigin says whether an absolute or scheme-relative URL is of the target.
func sameOrigin(u, target *url.URL) bool {
	if u.Host == "" || u.Scheme != "" && u.Scheme != target.Scheme {
		return false
	}
	port := func(h *url.URL) string {
		if p := h.Port(); p != "" {
			return p
		}
		if target.Scheme == "https" {
			return "443"
		}
		return "80"
	}
	return strings.EqualFold(u.Hostname(), target.Hostname()) && port(u) == port(target)
}

// reframe appends content in place of what was received. Chunks that were
// received whole become one; of one that is under way the rest gets a size of
// its own.
func (e *endpointEditor) reframe(content, out []byte) []byte {
	if e.framer.UntilClose() {
		return append(out, content...)
	}
	out = fmt.Appendf(out, "%x\r\n", len(content))
	out = append(out, content...)
	if left := e.framer.Remaining(); left > 0 {
		return fmt.Appendf(out, "\r\n%x\r\n", left)
	}
	return out // the line break behind the chunk is still to come
}

// answerBytes is an answer of our own.
func answerBytes(status, text string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(text), text)
}
