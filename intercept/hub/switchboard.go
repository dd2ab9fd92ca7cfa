package hub

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"midwire/intercept"
	"midwire/intercept/hub/plan"
	"midwire/session/defect"
	"midwire/session/wire"
)

// board passes requests on by their path: those of a remote server to the tap in
// front of it, all others to the hub itself. Bytes pass as they come, but for the
// path in the first line of a request, and the headers of the configuration, which
// the client does not know.
type board struct {
	hub   *Hub
	inner string           // HOST:PORT of the hub itself
	to    map[string]entry // remote servers by name

	mu    sync.Mutex // guards conns
	conns map[net.Conn]bool
}

// entry is where the switchboard finds a remote server.
type entry struct {
	address func() (string, error) // of its tap, which the first use starts
	path    string                 // of its endpoint
	headers map[string]string
}

// openBoards finds the servers that are remote by themselves. stop ends the taps
// that were started in front of them; none may be started at that time.
func (h *Hub) openBoards() (stop func(), err error) {
	var mu sync.Mutex // guards stops
	var stops []func()
	h.entries = map[string]entry{}
	for _, p := range h.Config.Plan(plan.Wish{Dir: h.Dir, Lookup: h.Lookup}) {
		if p.Context != plan.Remote || p.Reason != "" {
			continue
		}
		target, err := intercept.ParseTarget(p.URL)
		if err != nil {
			return nil, fmt.Errorf("server %s: %s", p.Name, shown(&p, err.Error()))
		}
		h.entries[p.Name] = entry{sync.OnceValues(func() (string, error) {
			origin, end, err := h.tap(&p, target, p.Name, "", boardNote(&p, target))
			if err != nil {
				h.Log.Error("switchboard", "server", p.Name, "error", shown(&p, err.Error()))
				return "", err
			}
			mu.Lock()
			defer mu.Unlock()
			stops = append(stops, end)
			return strings.TrimPrefix(origin, "http://"), nil
		}), target.RequestURI(), p.Headers}
	}
	return func() {
		for _, end := range stops {
			end()
		}
	}, nil
}

// boardNote says in the recording what the switchboard changes.
func boardNote(p *plan.Part, target *url.URL) string {
	note := fmt.Sprintf("the hub's switchboard: the client's path /%s/mcp is %s here", p.Name, target.Path)
	if len(p.Headers) > 0 {
		note += "; headers of the configuration are added where the client has sent none of the name"
	}
	return shown(p, note)
}

// switchboard listens on an address of this machine.
func (h *Hub) switchboard(inner string) (address string, stop func(), err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	b := &board{hub: h, inner: inner, to: h.entries, conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				b.keep(c, true)
				all.Go(func() { b.connect(c); b.keep(c, false) })
			}
		}
	})
	return ln.Addr().String(), func() {
		ln.Close()
		b.mu.Lock()
		for c := range b.conns {
			c.Close()
		}
		b.mu.Unlock()
		all.Wait()
	}, nil
}

func (b *board) keep(c net.Conn, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if open {
		b.conns[c] = true
	} else {
		delete(b.conns, c)
	}
}

// plug is a client's connection at the switchboard.
type plug struct {
	board  *board
	client net.Conn
	lines  map[string]net.Conn // to servers, by address
	now    net.Conn            // where the current request goes; nil before the first
	// upgrade: it asked for another protocol, whose bytes are no requests.
	upgrade bool
	wait    sync.WaitGroup // for what copies responses

	mu      sync.Mutex // guards below
	current net.Conn   // now, for those that copy responses
}

// connect passes on what comes from one client connection until it ends.
func (b *board) connect(c net.Conn) {
	defer defect.Recover("a connection to the hub", 0, func(d *defect.Defect) {
		b.hub.defect(d)
		c.Close()
	})
	p := &plug{board: b, client: c, lines: map[string]net.Conn{}}
	p.requests()
	for _, line := range p.lines {
		intercept.CloseWrite(line)
	}
	p.wait.Wait()
	for _, line := range p.lines {
		line.Close()
	}
	c.Close()
}

// requests passes requests on, each where its path leads. A client that sends one
// before it has the response to the one before is served as long as both go to one
// place.
func (p *plug) requests() {
	framer := wire.NewRequestStream()
	buf := make([]byte, 64<<10)
	for {
		n, err := p.client.Read(buf)
		for in := buf[:n]; len(in) > 0 || framer.Ended(); {
			inHead := framer.InHead()
			out, used := framer.Rewrite(in, p.lead)
			if _, raw := framer.IsRaw(); raw && inHead && (p.now == nil || !p.upgrade) {
				p.dial(p.board.inner) // which refuses what is no request
			}
			in = in[used:]
			if len(out) == 0 {
				continue
			}
			if p.now == nil {
				return
			}
			if _, err := p.now.Write(out); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// lead finds out where a request goes, and returns its head as it is sent there.
func (p *plug) lead(head []byte) []byte {
	p.upgrade = wire.HeadValue(head, "Upgrade") != ""
	end := bytes.IndexByte(head, '\n')
	words := bytes.SplitN(head[:max(end, 0)], []byte(" "), 3)
	if len(words) == 3 && p.board.hub.refusal(intercept.HeadCaller(head)) == "" { // else the hub itself says why not
		if e, path, ok := p.board.find(string(words[1])); ok {
			if address, err := e.address(); err == nil {
				p.dial(address)
			} else {
				p.now = nil
			}
			at := len(words[0]) + 1
			return e.add(slices.Concat(head[:at], []byte(path), head[at+len(words[1]):]))
		}
	}
	p.dial(p.board.inner)
	return slices.Clone(head)
}

// wellKnown is where clients look for what is said of a resource, before its path
// (RFC 8615).
const wellKnown = "/.well-known/"

func (b *board) find(path string) (entry, string, bool) {
	rest, query, has := strings.Cut(path, "?")
	if has {
		query = "?" + query
	}
	prefix := ""
	if after, ok := strings.CutPrefix(rest, wellKnown); ok {
		kind, of, _ := strings.Cut(after, "/")
		prefix, rest = wellKnown+kind, "/"+of
	}
	whole := strings.HasPrefix(rest, "/")
	name, rest, ok := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	e, known := b.to[name]
	if !known || !whole {
		return e, "", false
	}
	if rest == "mcp" || !ok {
		own, ownQuery, _ := strings.Cut(e.path, "?")
		if query == "" && ownQuery != "" {
			query = "?" + ownQuery
		}
		return e, prefix + own + query, true
	}
	return e, prefix + "/" + rest + query, true
}

// add adds the headers of the configuration that the client has not sent.
func (e *entry) add(head []byte) []byte {
	for name, value := range e.headers {
		if wire.HeadValue(head, name) == "" {
			at := bytes.IndexByte(head, '\n') + 1
			head = slices.Concat(head[:at], []byte(name+": "+value+"\r\n"), head[at:])
		}
	}
	return head
}

// dial makes an address the one that the current request goes to.
func (p *plug) dial(address string) {
	line := p.lines[address]
	if line == nil {
		var err error
		if line, err = net.Dial("tcp", address); err != nil {
			p.now = nil
			return
		}
		p.lines[address] = line
		p.wait.Go(func() { p.responses(line) })
	}
	p.now = line
	p.mu.Lock()
	p.current = line
	p.mu.Unlock()
}

// responses copies what comes from a server. When the one that the client waits
// for is gone, so is the client's connection.
func (p *plug) responses(line net.Conn) {
	_, err := io.Copy(p.client, line)
	p.mu.Lock()
	waits := p.current == line
	p.mu.Unlock()
	switch {
	case !waits:
	case err != nil:
		intercept.Reset(p.client)
	default:
		intercept.CloseWrite(p.client)
	}
}
