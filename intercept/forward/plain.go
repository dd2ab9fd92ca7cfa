package forward

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/session/wire"
)

// plain serves requests whose target is a whole URL (RFC 9112, 3.2.2), the way in
// which http:// goes through a proxy. A client may send requests to several
// origins over one connection; each run of requests to one is a leg.
func (p *Proxy) plain(ctx context.Context, c net.Conn, begin []byte) {
	requests := &requests{conn: c, framer: wire.NewRequestStream(), pending: begin}
	for requests.advance() {
		u, err := url.Parse(requestTarget(requests.head))
		if err != nil || u.Scheme != "http" || u.Host == "" {
			answer(c, "400 Bad Request", "", "midwire: this is a forward proxy, and the URL is not of http\n")
			return
		}
		legCtx, cut := context.WithCancel(ctx)
		leg := &leg{Conn: c, requests: requests, origin: hostPort(u), edit: originForm, cut: cut}
		l := p.link(leg, leg.origin)
		l.edits, l.scheme, l.absolute = proxyEdits(requests.head), "http", true
		if p.opens(leg.origin) {
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

// requests reads the requests of one client's connection.
type requests struct {
	conn    net.Conn
	framer  *wire.HTTPStream
	pending []byte // read from the client, not framed yet
	head    []byte // of the next request
	upgrade bool   // the last head asked for another protocol
}

// advance reads up to the next head. It is called between legs.
func (r *requests) advance() bool {
	buf := make([]byte, 16<<10)
	for r.head == nil {
		for len(r.pending) > 0 && r.head == nil {
			tok, n := r.framer.Next(r.pending)
			r.pending = r.pending[n:]
			switch tok {
			case wire.TokenHead:
				r.head = slices.Clone(r.framer.Head())
			case wire.TokenRaw:
				return false
			}
		}
		if r.head == nil {
			n, err := r.conn.Read(buf)
			if n == 0 && err != nil {
				return false
			}
			r.pending = append(r.pending, buf[:n]...)
		}
	}
	return true
}

// switchPatience is how long the server of a leg may take for what it has still
// to say, once the client has gone on to another one.
const switchPatience = time.Second

// leg is the part of a client's connection that belongs to one origin, as that
// origin would have seen it from a client without a proxy.
type leg struct {
	net.Conn
	*requests
	origin string                   // "" for any
	edit   func(head []byte) []byte // what of a head goes on
	cut    func()

	out []byte // to be read

	mu   sync.Mutex // guards over
	over bool       // the next request goes elsewhere
}

func (l *leg) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// Read implements net.Conn.
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
			if l.framer.InHead() { // as far as it came
				if rest := l.framer.Rest(); len(rest) > 0 {
					l.out = rest
					continue
				}
			}
			return 0, err
		}
	}
}

// frame moves what was read to what goes on, up to a head for somebody else.
func (l *leg) frame() {
	if l.isOver() {
		return
	}
	if l.head != nil {
		l.upgrade = wire.HeadValue(l.head, "Upgrade") != ""
		l.out, l.head = append(l.out, l.edit(l.head)...), nil
	}
	for len(l.pending) > 0 || l.framer.Ended() {
		p := l.pending
		if l.upgrade && l.framer.InHead() && len(p) > 0 {
			l.upgrade = false
			if p[0] < 'A' || p[0] > 'Z' {
				l.framer.MakeRaw("switched protocols")
			}
		}
		inHead := l.framer.InHead()
		tok, n := l.framer.Next(p)
		l.pending = p[n:]
		switch {
		case tok == wire.TokenHead:
			head := slices.Clone(l.framer.Head())
			u, err := url.Parse(requestTarget(head))
			if l.origin != "" && err == nil && u.Host != "" && hostPort(u) != l.origin {
				l.end(head)
				return
			}
			l.upgrade = wire.HeadValue(head, "Upgrade") != ""
			l.out = append(l.out, l.edit(head)...)
		case tok == wire.TokenRaw && inHead:
			l.out = append(l.out, l.framer.Head()...)
		case !inHead || !l.framer.InMessage():
			l.out = append(l.out, p[:n]...)
		}
	}
}

// end ends the leg before the head of a request to another origin.
func (l *leg) end(next []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.over = next, true
	time.AfterFunc(switchPatience, l.cut)
}

// Close closes the client's connection, unless it goes on elsewhere.
func (l *leg) Close() error {
	if l.isOver() {
		return nil
	}
	return l.Conn.Close()
}

// CloseWrite half-closes it, unless it goes on elsewhere.
func (l *leg) CloseWrite() error {
	if h, ok := l.Conn.(interface{ CloseWrite() error }); ok && !l.isOver() {
		return h.CloseWrite()
	}
	return nil
}

// NetConn is the connection itself, and nothing that could be harmed once it
// goes on elsewhere.
func (l *leg) NetConn() net.Conn {
	if l.isOver() {
		return spared{l.Conn}
	}
	return l.Conn
}

type spared struct{ net.Conn }

func (spared) Close() error { return nil }

// requestTarget is the target in a head.
func requestTarget(head []byte) string {
	line, _ := wire.CutLine(head)
	_, rest, _ := strings.Cut(string(line), " ")
	target, _, _ := strings.Cut(rest, " ")
	return target
}

// proxyFields are for a proxy and go no further: without one they were not sent.
var proxyFields = []string{"Proxy-Authorization", "Proxy-Connection"}

// proxyEdits are what originForm does to a head.
func proxyEdits(head []byte) []wire.Edit {
	target := requestTarget(head)
	all := []wire.Edit{{What: "request-target", Was: target, Now: pathOf(target)}}
	for _, name := range proxyFields {
		if wire.HeadValue(head, name) != "" {
			all = append(all, wire.Edit{What: "proxy-field", Was: name})
		}
	}
	return all
}

// originForm is a head as it would have been sent without a proxy.
func originForm(head []byte) []byte {
	target := requestTarget(head)
	var out []byte
	if i := bytes.IndexByte(head, ' '); i >= 0 {
		out = append(append(out, head[:i+1]...), pathOf(target)...)
		head = head[i+1+len(target):]
	}
	return append(out, without(head, func(name, _ string) bool {
		return slices.ContainsFunc(proxyFields, func(f string) bool { return strings.EqualFold(f, name) })
	})...)
}

// without is a head without the fields that drop names.
func without(head []byte, drop func(name, value string) bool) (out []byte) {
	for line := range bytes.SplitAfterSeq(head, []byte("\n")) {
		name, value, _ := strings.Cut(string(line), ":")
		if !drop(name, strings.TrimSpace(value)) {
			out = append(out, line...)
		}
	}
	return out
}

// leaks says whether a client sends the password of this run to servers too, as
// Deno 2.9 does: within TLS nobody else could have put it there.
func (p *Proxy) leaks(head []byte) bool {
	return p.allowed(wire.HeadValue(head, "Proxy-Authorization"))
}

// unleaked is a connection of such a client, without the password.
func (p *Proxy) unleaked(c net.Conn) net.Conn {
	return &leg{
		Conn: c, requests: &requests{conn: c, framer: wire.NewRequestStream()}, cut: func() {},
		edit: func(head []byte) []byte {
			return without(head, func(name, value string) bool {
				return strings.EqualFold(name, "Proxy-Authorization") && p.allowed(value)
			})
		},
	}
}

// pathOf is the path and query of a whole URL, as they are spelled.
func pathOf(target string) string {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok || strings.ContainsAny(scheme, "/?") {
		return target
	}
	i := strings.IndexAny(rest, "/?")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	}
	return rest[i:]
}
