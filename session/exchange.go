package session

import (
	"bytes"
	"cmp"
	"encoding/base64"

	"midwire/session/encoding"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// conn is a client's connection.
type conn struct {
	began  mark
	to     string   // address of the upstream
	proto  string   // how it is spoken to, "" for plain HTTP/1.1
	host   string   // the Host that we put instead of the client's
	legacy int32    // latest session with a handshake, -1 for none
	modern int32    // latest conversation without
	open   []uint32 // exchanges that have not ended

	unreachable bool // the upstream was
	forward     bool // its client calls the server by the server's own name
}

func (t *Tracker) conn(id uint32) *conn {
	c := t.conns[id]
	if c == nil {
		if len(t.conns) >= maxConns {
			t.forgetConns()
		}
		c = &conn{began: mark{0, t.f.T}, legacy: -1, modern: -1}
		t.conns[id] = c
	}
	return c
}

// exchange is one HTTP request with its response.
type exchange struct {
	x, conn uint32
	facts   Exchange // for who watches
	held    int      // bytes, as they were weighed

	// of the request head
	head      uint32
	headT     int64
	headLen   uint32
	verb      uint32 // name of the method
	path      uint32 // name of the target without query
	place     uint32 // name of the path, or of the one that redirects there
	query     string
	client    uint64 // hash of path, User-Agent and Authorization
	agent     uint64 // hash of User-Agent and Authorization
	auth      uint64 // hash of Authorization, 0 without one
	version   uint32 // name of the MCP-Protocol-Version
	mcpMethod uint64 // hash of Mcp-Method
	mcpName   uint64 // hash of Mcp-Name, decoded
	hasID     bool   // there was an Mcp-Session-Id, if only an empty one, or a known id in the query
	id        string // set only when no session is known by it
	known     int32  // the session known by it, -1 for none
	talk      string // name and value of a configured header, with a NUL between
	lastEvent string // Last-Event-ID
	stream    bool   // Accept names text/event-stream
	expects   bool   // a body follows
	what      uint32 // name of its row, where that is not its method
	inCoding  encoding.Coding

	// of the response head
	status    uint16
	page      bool // the response is a web page
	past      bool // it is redirected to the server itself, past the proxy
	resp      uint32
	respT     int64
	events    bool // the response is an event stream
	outCoding encoding.Coding

	group   int32   // the session, -1 while it is not known
	rows    []int32 // calls and notifications of the request
	httpRow int32   // row of the exchange itself, -1 when messages have their own rows
	read    bool    // the request was JSON-RPC
	in, out pieces
	fold    *decoder
	framer  *wire.EventFramer
	taps    []Row  // rows of edits that came before it was known whose they are
	primed  bool   // events carry ids: the stream can be resumed
	eventID string // the latest
}

// call is the only or first call of the exchange, -1 when there is none.
func (ex *exchange) call() int32 {
	if ex.httpRow >= 0 || len(ex.rows) == 0 {
		return ex.httpRow
	}
	return ex.rows[0]
}

// exchange returns the exchange with that number, and begins it when it is
// new.
func (t *Tracker) exchange(f *wire.Frame) *exchange {
	if ex := t.open[f.X]; ex != nil {
		return ex
	}
	if len(t.open) >= maxExchanges {
		t.forgetOlder()
	}
	var ex *exchange
	if n := len(t.free); n > 0 {
		ex = t.free[n-1]
		t.free = t.free[:n-1]
		*ex = exchange{
			rows: ex.rows[:0],
			facts: Exchange{
				RequestHead: ex.facts.RequestHead[:0], ResponseHead: ex.facts.ResponseHead[:0],
				request: ex.facts.request, response: ex.facts.response,
			},
		}
	} else {
		ex = &exchange{facts: Exchange{request: &fields{}, response: &fields{}}}
	}
	ex.x, ex.conn, ex.headT = f.X, f.Conn, f.T
	ex.group, ex.httpRow, ex.known = -1, -1, -1
	t.open[f.X] = ex
	c := t.conn(f.Conn)
	c.open = append(c.open, f.X)
	return ex
}

// forget ends an exchange.
func (t *Tracker) forget(ex *exchange) {
	delete(t.open, ex.x)
	t.closed = max(t.closed, ex.x)
	if c := t.conns[ex.conn]; c != nil {
		for i, x := range c.open {
			if x == ex.x {
				c.open = append(c.open[:i], c.open[i+1:]...)
				break
			}
		}
	}
	if t.held -= ex.held; len(t.free) < 64 && ex.held < 64<<10 {
		t.free = append(t.free, ex)
	}
}

// readRequestHead reads what the tracker needs of a request head.
func (t *Tracker) readRequestHead(ex *exchange, raw []byte) {
	line, _ := wire.CutLine(raw)
	verb, target, _ := bytes.Cut(line, []byte(" "))
	if i := bytes.LastIndexByte(target, ' '); i >= 0 {
		target = target[:i]
	}
	path, query, _ := bytes.Cut(withoutOrigin(target), []byte("?"))
	ex.verb, ex.path, ex.query = t.names.intern(verb), t.names.intern(path), string(query)
	ex.place, ex.agent = ex.path, wire.HashSeed
	if from, ok := t.dir.leads[ex.path]; ok {
		ex.place, path = from, []byte(t.Name(from))
	}
	ex.client = wire.Hash(path)
	ex.facts.request.take(raw, t.headRead())
	ex.facts.request.each(func(h header, value []byte) { t.requestField(ex, h, value) })
	if id := QueryID(ex.query); id != "" && !ex.hasID {
		if g := t.byQuery(ex.place, id); g != nil {
			ex.hasID, ex.known, ex.facts.SessionID = true, int32(g.Index), id
		}
	}
}

// requestField takes one header field.
func (t *Tracker) requestField(ex *exchange, h header, value []byte) {
	switch h {
	case headerSessionID:
		value = shortIDBytes(value)
		ex.hasID, ex.id, ex.known = true, "", -1
		g := t.byID(ex.place, value)
		if one, other, twice := bytes.Cut(value, []byte(", ")); g == nil && twice { // sent twice, they come back so
			g = cmp.Or(t.byID(ex.place, one), t.byID(ex.place, other))
		}
		if g != nil {
			ex.known = int32(g.Index)
		} else {
			ex.id = string(value)
		}
		ex.facts.SessionID = ex.id
		if g := t.groupAt(ex.known); g != nil && g.ID == string(value) {
			ex.facts.SessionID = g.ID
		} else if g != nil && t.watch != nil {
			ex.facts.SessionID = string(value)
		}
	case headerVersion:
		ex.version = t.names.intern(value)
	case headerMethod:
		ex.mcpMethod = wire.Hash(value)
	case headerName:
		ex.mcpName = wire.Hash(headerText(value))
	case headerAuthorization:
		ex.auth = wire.Hash(value)
		ex.client, ex.agent = wire.HashOn(ex.client, value), wire.HashOn(ex.agent, value)
	case headerUserAgent:
		ex.client, ex.agent = wire.HashOn(ex.client, value), wire.HashOn(ex.agent, value)
	case headerAccept:
		ex.stream = bytes.Contains(value, []byte("text/event-stream"))
	case headerLastEventID:
		ex.lastEvent = string(value)
	case headerContentLength:
		ex.expects = ex.expects || string(value) != "0"
	case headerTransferEncoding:
		ex.expects = true
	case headerContentEncoding:
		ex.inCoding = encoding.Parse(string(value))
	}
	if h >= headerConversation && ex.talk == "" && len(value) > 0 {
		ex.talk = headers[h] + "\x00" + string(value)
	}
}

// readResponseHead reads what the tracker needs of a response head.
func (t *Tracker) readResponseHead(ex *exchange, raw []byte) (status uint16, id []byte) {
	line, _ := wire.CutLine(raw)
	_, line, _ = bytes.Cut(line, []byte(" "))
	for i := 0; i < 3 && i < len(line) && line[i] >= '0' && line[i] <= '9'; i++ {
		status = status*10 + uint16(line[i]-'0')
	}
	ex.facts.response.take(raw, t.headRead())
	ex.facts.response.each(func(h header, value []byte) {
		switch h {
		case headerSessionID:
			id = shortIDBytes(value)
		case headerContentType:
			media, _, _ := bytes.Cut(value, []byte(";"))
			ex.events = is(bytes.TrimSpace(media), "text/event-stream")
		case headerContentEncoding:
			ex.outCoding = encoding.Parse(string(value))
		}
	})
	return status, id
}

// withoutOrigin takes scheme and host off an absolute request target.
func withoutOrigin(target []byte) []byte {
	_, after, ok := bytes.Cut(target, []byte("://"))
	if !ok || target[0] == '/' {
		return target
	}
	rest := after
	if j := bytes.IndexByte(rest, '/'); j >= 0 {
		return rest[j:]
	}
	return []byte("/")
}

// headerText undoes the encoding that 2026-07-28 prescribes for header values
// with characters a header cannot hold: mcp.DecodeHeader on bytes, for which
// any bytes will do.
func headerText(value []byte) []byte {
	in, ok := bytes.CutPrefix(value, []byte(mcp.EncodedPrefix))
	if !ok {
		return value
	}
	if in, ok = bytes.CutSuffix(in, []byte(mcp.EncodedSuffix)); !ok {
		return value
	}
	out, err := base64.StdEncoding.AppendDecode(nil, in)
	if err != nil {
		return value
	}
	return out
}
