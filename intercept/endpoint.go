package intercept

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"midwire/session/wire"
)

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

// maxEndpoint is how much is held back for an endpoint event. No one's URL is
// that long.
const maxEndpoint = 64 << 10

// endpointEditor replaces the origin of an absolute URL in the endpoint event
// of HTTP+SSE (2024-11-05) when it is the server's: the client must send its
// messages through us, and refuses an endpoint of another origin anyway.
//
// Only the first event of a response to a GET is looked at, and of that only a
// data line that begins like a URL of the server is held back. In a chunked
// response that is the whole chunk, because its size goes before it: a chunk
// waits until it is complete, or until the first event is known to need no
// change.
type endpointEditor struct {
	relay  *relay
	host   atomic.Pointer[string] // what the client calls us; nil when nothing is watched
	framer *wire.HTTPStream       // nil when nothing is watched
	stream bool                   // the head said text/event-stream
	raw    []byte                 // held back, as received
	first  firstEvent             // of the content; what it keeps is in raw too
}

func (e *endpointEditor) edit(p []byte) ([]byte, error) {
	if e.framer == nil {
		if e.host.Load() == nil {
			return p, nil
		}
		e.framer = wire.NewResponseStream()
		e.framer.Expect("GET")
	}
	var out []byte
	for e.framer != nil && (len(p) > 0 || e.framer.Ended()) {
		size := e.framer.InChunkSize()
		tok, n := e.framer.Next(p)
		switch {
		case tok == wire.TokenHead:
			out = append(out, p[:n]...)
			e.readHead(e.framer.Head())
		case tok == wire.TokenContent:
			out = e.content(p[:n], out)
		case tok == wire.TokenPart && (len(e.raw) > 0 || size) && e.framer.HasContent():
			e.raw = append(e.raw, p[:n]...)
		default:
			out = e.release(append(e.raw, p[:n]...), out)
			if tok != wire.TokenPart || e.stream && !e.framer.HasContent() {
				e.stop()
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
	e.first.target = e.relay.http.Target
	e.stream = h.Status == 200 && wire.IsMediaType(h.Get("Content-Type"), "text/event-stream") &&
		!h.Has("Content-Encoding") && !h.Has("Content-Length")
	if !e.stream {
		e.stop()
	}
}

func (e *endpointEditor) rest() []byte { return e.raw }

// release appends what was received to out; nothing is held back any longer.
func (e *endpointEditor) release(raw, out []byte) []byte {
	out = append(out, raw...)
	e.raw = e.raw[:0]
	e.first.drop(len(e.first.kept))
	return out
}

func (e *endpointEditor) stop() {
	e.framer, e.stream, e.raw, e.first = nil, false, nil, firstEvent{}
	e.host.Store(nil)
}

// content looks at content of the stream and appends to out what need not wait.
func (e *endpointEditor) content(p, out []byte) []byte {
	e.raw = append(e.raw, p...)
	state := e.first.feed(p)
	held := e.first.held()
	switch {
	case state == eventOpen && max(len(e.raw), len(e.first.line)) <= maxEndpoint:
		switch {
		case e.framer.UntilClose(): // no size stands before the lines that can go
			n := len(e.raw) - held
			out = append(out, e.raw[:n]...)
			e.raw = append(e.raw[:0], e.raw[n:]...)
			e.first.drop(n)
		case held == 0 && e.framer.Remaining() == 0:
			out = e.release(e.raw, out)
		}
		return out
	case state == eventEndpoint:
		if now, ok := e.replace(); ok {
			out = e.reframe(now, out)
			e.stop()
			return out
		}
	}
	out = e.release(e.raw, out)
	e.stop()
	return out
}

// replace returns what is kept of the content with our origin in place of the
// server's. False means that it is the same.
func (e *endpointEditor) replace() ([]byte, bool) {
	before, url, after := e.first.parts()
	was := string(url)
	_, rest, _ := strings.Cut(was, "//") // the authority: up to the path
	path := rest[len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return !strings.ContainsRune("/?#", r) })):]
	now := "http://" + *e.host.Load() + path
	if now == was {
		return nil, false
	}
	e.relay.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToClient, Conn: e.relay.id},
		wire.Edit{What: "endpoint", Was: was, Now: now})
	return slices.Concat(before, []byte(now), after), true
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
