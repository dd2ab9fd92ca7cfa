package forward

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/session/wire"
	"midwire/session/words"
)

// plain serves requests whose target is a whole URL (RFC 9112, 3.2.2), the way in
// which http:// goes through a proxy. A client may send requests to several
// origins over one connection; each run of requests to one is a leg. What cannot be
// read is for none: it is refused.
func (p *Proxy) plain(ctx context.Context, c net.Conn, begin []byte) {
	requests := &requests{conn: c, framer: wire.NewRequestStream(), pending: begin}
	for requests.advance() {
		if requests.odd != "" {
			p.refuse(c, requests.odd)
			return
		}
		to, _ := readTarget(requestTarget(requests.head))
		legCtx, cut := context.WithCancel(ctx)
		leg := &leg{Conn: c, requests: requests, origin: to.origin, cut: cut, down: wire.NewResponseStream()}
		l := p.link(leg, to.origin)
		_, l.edits = to.onward(requests.head)
		l.scheme, l.absolute = "http", true
		opened := p.opens(to.origin)
		leg.edit = p.onward(l, opened)
		if opened {
			p.relay(legCtx, l, nil)
		} else {
			p.tunnel(legCtx, l, func() error { return nil })
		}
		cut()
		if !leg.isOver() {
			return
		}
	}
}

// onward edits the heads of a leg, and its trailers. What it changes is recorded
// where anything is; the first edits have been.
func (p *Proxy) onward(l *link, opened bool) func(lines []byte, isHead bool) []byte {
	said := map[string]string{} // what was replaced, by what it is
	isNews := func(e wire.Edit) bool {
		key, was := e.What, ""
		switch e.What {
		case "host":
			was = e.Was
		case wire.EditProxyField:
			key = words.Fold(e.Was)
		}
		before, known := said[key]
		said[key] = was
		return !known || before != was
	}
	for _, e := range l.edits {
		isNews(e)
	}
	return func(lines []byte, isHead bool) (out []byte) {
		var edits []wire.Edit
		if isHead {
			to, _ := readTarget(requestTarget(lines))
			out, edits = to.onward(lines)
		} else {
			out, edits = withoutProxyFields(lines)
		}
		for _, e := range edits {
			if isNews(e) && opened {
				p.Relays.Tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToServer, Conn: l.id}, e)
			}
		}
		return out
	}
}

// refuse answers a request that is passed on to no one.
func (p *Proxy) refuse(c net.Conn, why string) {
	p.Relays.Tell(wire.Frame{Kind: wire.KindNote}, wire.Note{Text: "a request was refused: " + why})
	p.count.say("a request was refused and not forwarded: " + why)
	answer(c, "400 Bad Request", "", "midwire: refused and not forwarded: "+why+"\n")
}

type requests struct {
	conn    net.Conn
	framer  *wire.HTTPStream
	pending []byte // read from the client, not framed yet
	head    []byte // of the next request
	odd     string // why the next request cannot be read
}

// advance reads up to the next head. It is called between legs.
func (r *requests) advance() bool {
	buf := make([]byte, 16<<10)
	for r.head == nil && r.odd == "" {
		for len(r.pending) > 0 && r.head == nil && r.odd == "" {
			tok, n := r.framer.Next(r.pending)
			r.pending = r.pending[n:]
			switch tok {
			case wire.TokenHead:
				r.head = slices.Clone(r.framer.Head())
				r.odd = r.oddity(r.head)
			case wire.TokenRaw:
				r.odd = r.oddity(nil)
			}
		}
		if r.head == nil && r.odd == "" {
			n, err := r.conn.Read(buf)
			if n == 0 && err != nil {
				return false
			}
			r.pending = append(r.pending, buf[:n]...)
		}
	}
	return true
}

// oddity says why a request to this proxy cannot be read, "" when it can: nil is the
// head of what is none.
func (r *requests) oddity(head []byte) string {
	if reason, raw := r.framer.IsRaw(); raw {
		return reason
	}
	_, why := readTarget(requestTarget(head))
	return why
}

// switchPatience is how long the server of a leg may take for what it has still
// to say, once the client has gone on to another one.
const switchPatience = time.Second

// leg is the part of a client's connection that belongs to one origin, as that
// origin would have seen it from a client without a proxy.
type leg struct {
	net.Conn
	*requests
	origin string                             // "" for any: then nothing is refused
	edit   func(p []byte, isHead bool) []byte // what of a head, or a trailer, is forwarded
	cut    func()

	out []byte // to be read

	mu       sync.Mutex // guards all below
	over     bool       // the next request goes elsewhere, or nowhere
	down     *wire.HTTPStream
	switched bool // the server went over to another protocol
}

func (l *leg) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// Read implements net.Conn. A head that the client does not complete goes nowhere:
// whose it is can be in the part that is missing.
func (l *leg) Read(p []byte) (int, error) {
	for {
		l.frame()
		if len(l.out) > 0 {
			n := copy(p, l.out)
			l.out = l.out[n:]
			return n, nil
		}
		if l.isOver() {
			return 0, io.EOF
		}
		buf := make([]byte, 16<<10)
		n, err := l.Conn.Read(buf)
		l.pending = buf[:n]
		if n == 0 && err != nil {
			return 0, err
		}
	}
}

// Write implements net.Conn. Whether the server goes over to another protocol is
// known before the client can use it.
func (l *leg) Write(p []byte) (int, error) {
	l.mu.Lock()
	for rest := p; l.down != nil && (len(rest) > 0 || l.down.Ended()); {
		tok, n := l.down.Next(rest)
		rest = rest[n:]
		switch {
		case tok == wire.TokenRaw:
			l.down = nil
		case tok == wire.TokenHead && l.down.Facts().Status == 101:
			l.down, l.switched = nil, true
		}
	}
	l.mu.Unlock()
	return l.Conn.Write(p)
}

// expect notes the method of a request that continues, and reports whether the
// connection speaks another protocol by now.
func (l *leg) expect(method string) (switched bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil && method != "" {
		l.down.Expect(method)
	}
	return l.switched
}

// frame moves what was read to what is forwarded, up to a head for someone else.
func (l *leg) frame() {
	if l.head != nil && !l.isOver() {
		l.expect(l.framer.Facts().Method)
		l.out, l.head = append(l.out, l.edit(l.head, true)...), nil
	}
	for (len(l.pending) > 0 || l.framer.Ended()) && !l.isOver() {
		if l.framer.InHead() && !l.framer.InMessage() && l.expect("") {
			l.framer.MakeRaw("switched protocols")
		}
		p := l.pending
		inHead, inTrailer := l.framer.InHead(), l.framer.Chunked() && !l.framer.HasContent()
		tok, n := l.framer.Next(p)
		l.pending = p[n:]
		switch {
		case tok == wire.TokenHead:
			l.next(slices.Clone(l.framer.Head()))
		case tok == wire.TokenRaw && l.origin != "" && !l.expect(""):
			l.end(nil, l.oddity(nil))
		case tok == wire.TokenTrailer:
			l.out = append(l.out, l.edit(l.framer.Head(), false)...)
		case tok == wire.TokenRaw && (inHead || inTrailer), inTrailer && l.framer.Ended():
			l.out = append(l.out, l.framer.Head()...)
		case inTrailer:
		case !inHead || !l.framer.InMessage():
			l.out = append(l.out, p[:n]...)
		}
	}
}

// next takes a head: it continues, or ends the leg.
func (l *leg) next(head []byte) {
	if l.origin != "" {
		to, _ := readTarget(requestTarget(head))
		if odd := l.oddity(head); odd != "" || to.origin != l.origin {
			l.end(head, odd)
			return
		}
	}
	l.expect(l.framer.Facts().Method)
	l.out = append(l.out, l.edit(head, true)...)
}

// end ends the leg before the head of a request to another origin, or to none.
func (l *leg) end(next []byte, odd string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.odd, l.over = next, odd, true
	time.AfterFunc(switchPatience, l.cut)
}

// Close closes the client's connection, unless it continues elsewhere.
func (l *leg) Close() error {
	if l.isOver() {
		return nil
	}
	return l.Conn.Close()
}

// CloseWrite half-closes it, unless it continues elsewhere.
func (l *leg) CloseWrite() error {
	if h, ok := l.Conn.(interface{ CloseWrite() error }); ok && !l.isOver() {
		return h.CloseWrite()
	}
	return nil
}

// NetConn is the connection itself, and nothing that could be harmed once it
// continues elsewhere.
func (l *leg) NetConn() net.Conn {
	if l.isOver() {
		return spared{l.Conn}
	}
	return l.Conn
}

type spared struct{ net.Conn }

func (spared) Close() error { return nil }

// unleaked takes the password of this run from a client that sends it to servers too,
// as Deno 2.9 does within TLS: no one else could have put it there.
func (p *Proxy) unleaked(l *link, in *sniffed) {
	if l.client = in; !p.allowed(wire.HeadValue(in.head, "Proxy-Authorization")) {
		return
	}
	l.edits = append(l.edits, wire.Edit{What: wire.EditProxyField, Was: "Proxy-Authorization"})
	l.client = &leg{
		Conn: in, requests: &requests{conn: in, framer: wire.NewRequestStream()}, cut: func() {},
		down: wire.NewResponseStream(),
		edit: func(lines []byte, _ bool) []byte {
			return dropFields(lines, func(name, value string) bool {
				return strings.EqualFold(name, "Proxy-Authorization") && p.allowed(value)
			})
		},
	}
}
