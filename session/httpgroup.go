package session

import (
	"bytes"
	"cmp"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

const (
	whyHeader    = mcp.HeaderSessionID + " header"
	whyEndpoint  = "endpoint event"
	whyQuery     = "session id in the URL"
	whyHandshake = "initialize and later requests of the same client"
	whyClient    = "same client, no initialize seen"
)

// connected is when the connection of an exchange began.
func (t *Tracker) connected(ex *exchange) mark {
	if m := t.conn(ex.conn).began; m.frame != 0 {
		return m
	}
	return mark{uint64(ex.head), ex.headT}
}

// newHTTP begins a session with a handshake.
func (t *Tracker) newHTTP(ex *exchange, tr Transport, why string) *group {
	g := t.newGroup(tr, why)
	g.place, g.client = ex.place, ex.client
	g.Endpoint = t.Name(ex.path)
	g.life.begin = t.connected(ex)
	g.Started = min(g.Started, ex.headT)
	return g
}

// requestGroup finds or begins the session of a request that a client posted.
func (t *Tracker) requestGroup(ex *exchange, m *wire.Message, mt *meta) *group {
	if g := t.group(ex); g != nil { // further messages of a batch
		return g
	}
	// What is posted to an endpoint that was announced gets its response on its
	// stream, whatever protocol version the request is of.
	if g := t.announced(ex); g != nil {
		return g
	}
	if classify(m, mt) {
		return t.conversation(ex, mt)
	}
	if g := t.byTarget(ex); g != nil {
		return g
	}
	init := string(m.Method) == mcp.Initialize
	if ex.hasID && (ex.known >= 0 || ex.id != "") {
		return t.named(ex, init)
	}
	if !init {
		return t.ofMeta(ex, mt)
	}
	g := t.reusable(ex)
	if g == nil {
		g = t.newHTTP(ex, TransportHTTP, whyHandshake)
	}
	g.client = ex.client
	g.Why = whyHandshake
	found(t.dir.clients, ex.client, g)
	t.metaID(g, mt)
	return g
}

// named is the session of an exchange that carries a session id. An id that
// no server assigned while we watched begins a session.
func (t *Tracker) named(ex *exchange, init bool) *group {
	if g := t.groupAt(ex.known); g != nil {
		return g
	}
	g := t.byID(ex.place, []byte(ex.id)) // it may have become known since
	if g == nil {
		g = t.newHTTP(ex, TransportHTTP, "")
		source := IDForeign
		if init {
			source = IDClient
		}
		t.setID(g, ex.id, source)
		g.ProtocolVersion = mcp.Version(t.Name(ex.version))
		found(t.dir.clients, ex.client, g)
	}
	ex.known = int32(g.Index)
	return g
}

// nearest is the session of a message that does not say which it belongs to:
// the latest of its connection, else the latest of a client with the same
// headers, else a new one.
func (t *Tracker) nearest(ex *exchange) *group {
	if g := t.nearestGroup(ex); g != nil {
		return g
	}
	g := t.newHTTP(ex, TransportHTTP, whyClient)
	found(t.dir.clients, ex.client, g)
	return g
}

func (t *Tracker) nearestGroup(ex *exchange) *group {
	g := t.nearBy(ex)
	if g == nil || !g.sendsID() {
		return g
	}
	return cmp.Or(t.latestGroup(ex, func(g *group) bool { return !g.sendsID() }), g)
}

// sendsID reports whether the client of a session has sent its id with every request: one
// without it is rather of another session of the same client.
func (g *group) sendsID() bool {
	return g.Transport == TransportHTTP && !g.Modern && g.ID != "" && g.life.idSents > 0 && !g.life.idMissing.set()
}

// latestGroup finds the latest open session with a handshake of the client of an exchange, among
// those that fit; nil for none.
func (t *Tracker) latestGroup(ex *exchange, fits func(*group) bool) *group {
	for i, n := len(t.groups)-1, 0; i >= 0 && n < maxRemembered; i, n = i-1, n+1 {
		g := t.groups[i]
		if g.client == ex.client && g.place == ex.place && !g.Modern && g.State != StateClosed && fits(g) {
			return g
		}
	}
	return nil
}

func (t *Tracker) nearBy(ex *exchange) *group {
	c := t.conn(ex.conn)
	if g := t.groupAt(c.legacy); g != nil && g.client == ex.client {
		return g
	}
	if i, ok := t.dir.clients[ex.client]; ok && t.groups[i].State != StateClosed {
		return t.groups[i]
	}
	if g := t.groupAt(c.modern); g != nil && g.place == ex.place {
		return g
	}
	return nil
}

// reusable finds the session that an initialize without a session id
// continues: a probe for the era, a refused attempt (another version, no
// credential yet), or requests that came too early.
func (t *Tracker) reusable(ex *exchange) *group {
	c := t.conn(ex.conn)
	if g := t.groupAt(c.modern); g != nil && g.place == ex.place && g.probing() {
		t.makeLegacy(g)
		return g
	}
	if g := t.groupAt(c.legacy); g != nil && g.place == ex.place && g.fresh() {
		return g
	}
	if i, ok := t.dir.clients[ex.client]; ok && t.groups[i].fresh() {
		return t.groups[i]
	}
	return t.failedProbe(ex)
}

// fresh says that no session has come about here yet.
func (g *group) fresh() bool {
	return g.ID == "" && !g.Modern && (g.State == StateFailed || g.State == StateNew)
}

// failedProbe finds the latest probe of the same client on another connection,
// if it was refused: the client opens a new one for its handshake.
func (t *Tracker) failedProbe(ex *exchange) *group {
	for i, n := len(t.groups)-1, 0; i >= 0 && n < 16; i, n = i-1, n+1 {
		g := t.groups[i]
		if g.client == ex.client && g.place == ex.place && g.probing() && g.life.discoverBad != "" {
			t.makeLegacy(g)
			return g
		}
	}
	return nil
}

// postGroup is the session of a POST without requests.
func (t *Tracker) postGroup(ex *exchange) *group {
	if g := t.group(ex); g != nil {
		return g
	}
	if g := t.byTarget(ex); g != nil {
		return g
	}
	if ex.hasID && (ex.known >= 0 || ex.id != "") && !mcp.Version(t.Name(ex.version)).IsModern() {
		return t.named(ex, false)
	}
	if g := t.groupAt(t.conn(ex.conn).modern); g != nil && mcp.Version(t.Name(ex.version)).IsModern() {
		return g
	}
	return t.nearest(ex)
}

// plainGroup is the session of an exchange without JSON-RPC, nil for none.
func (t *Tracker) plainGroup(ex *exchange) *group {
	if g := t.group(ex); g != nil {
		return g
	}
	if g := t.byTarget(ex); g != nil {
		return g
	}
	if ex.hasID && (ex.known >= 0 || ex.id != "") {
		return t.named(ex, false)
	}
	if g := t.nearestGroup(ex); g != nil {
		return g
	}
	c := t.conn(ex.conn)
	if g := cmp.Or(t.groupAt(c.legacy), t.groupAt(c.modern)); g != nil {
		return g
	}
	if i, ok := t.dir.agents[ex.agent]; ok && ex.agent != wire.HashSeed {
		return t.groups[i]
	}
	return nil
}

// place is the session of what a server sent. When the exchange has none, as
// its request was not JSON-RPC or was not seen, messages begin one.
func (t *Tracker) place(ex *exchange, payload []byte) *group {
	if g := t.group(ex); g != nil {
		return g
	}
	if !ex.stream && ex.head != 0 {
		return nil
	}
	if n, _ := wire.ScanMessages(payload, func(int, wire.Message) bool { return false }); n == 0 {
		return nil
	}
	g := t.nearest(ex)
	if ex.httpRow >= 0 {
		t.move(ex.httpRow, g)
	}
	t.belong(ex, g)
	return g
}

// responseID follows a session id in a response head.
func (t *Tracker) responseID(ex *exchange, id []byte) {
	g := t.group(ex)
	if g == nil {
		return
	}
	if g.Modern {
		if !g.life.idSeen.set() {
			g.life.idSeen = mark{uint64(ex.resp), ex.respT}
		}
		return
	}
	t.streamable(g)
	if g.ID == string(id) || g.Transport != TransportHTTP || ex.status >= 300 {
		return
	}
	init := t.initOf(ex)
	switch {
	case init < 0:
	case g.ID == "":
		t.setID(g, string(id), IDServer)
	case (g.IDSource == IDClient || g.IDSource == IDQuery || g.IDSource == IDMeta) && g.life.inits == 1:
		t.setID(g, string(id), IDReplaced)
	default:
		// A second initialize was given its own id: a new session.
		n := t.newHTTP(ex, TransportHTTP, whyHeader)
		t.setID(n, string(id), IDReplaced)
		n.Client, n.State = g.Client, StateInitializing
		n.life.inits, n.life.initRow = 1, init
		n.life.initSent = mark{uint64(t.rows.row(int(init)).Request), ex.headT}
		g.life.inits--
		found(t.dir.clients, ex.client, n)
		t.move(init, n)
		t.belong(ex, n)
	}
}

// noResponseID notes that an initialize got its response without an id.
func (t *Tracker) noResponseID(ex *exchange) {
	g := t.group(ex)
	if g != nil && !g.Modern && g.ID == "" && ex.status < 300 && t.initOf(ex) >= 0 {
		g.Why = whyHandshake
	}
}

// initOf is the row of the initialize that an exchange carries, -1 for none.
func (t *Tracker) initOf(ex *exchange) int32 {
	for _, row := range ex.rows {
		if r := t.rows.row(int(row)); r.Kind == RowCall && t.Name(r.Name) == mcp.Initialize {
			return row
		}
	}
	return -1
}

// maxEndpoint is how long the URL in an endpoint event may be, in bytes. It
// names a session, and stays in memory.
const maxEndpoint = 64 << 10

// endpoint follows the first event of HTTP+SSE, which says where the client is
// to post (2024-11-05, basic/transports: HTTP with SSE).
func (t *Tracker) endpoint(ex *exchange, target []byte) {
	g := t.group(ex)
	if g == nil || g.Transport != TransportSSE || !t.isStream(ex, g) {
		if g = t.reusable(ex); g == nil {
			g = t.newHTTP(ex, TransportSSE, whyEndpoint)
		}
		g.Transport, g.client, g.place = TransportSSE, ex.client, ex.place
		g.Endpoint, g.Why = t.Name(ex.path), whyEndpoint
		g.life.begin = mark{uint64(ex.head), ex.headT}
		if ex.httpRow >= 0 {
			t.move(ex.httpRow, g)
		}
		t.belong(ex, g)
	}
	path, query, _ := bytes.Cut(withoutOrigin(target), []byte("?"))
	id := QueryID(string(query))
	g.ID, g.IDSource = id, IDEndpoint
	if id == "" {
		g.ID = shortID(string(withoutOrigin(target)))
		found(t.dir.endpoints, g.ID, g)
	} else {
		found(t.dir.endpoints, shortID(string(path)+"\x00"+id), g)
	}
	g.life.endpoint = moment(t.f)
	r := t.messageRow(RowHTTP, wire.ToClient)
	r.Name, r.Parent = t.names.internString("endpoint"), ex.httpRow
	t.addRow(r, g)
}

// redirected notes where a redirect leads that keeps a message: both paths are one endpoint.
func (t *Tracker) redirected(ex *exchange, location string) {
	path, _, _ := bytes.Cut(withoutOrigin([]byte(location)), []byte("?"))
	to := t.names.intern(path)
	if to != ex.path && to != ex.place && len(path) > 0 && len(t.dir.leads) < maxRemembered {
		t.dir.leads[to] = ex.place
	}
}

// leadsPast reports whether a Location names the server itself, and not the proxy that the
// client takes for it.
func (c *conn) leadsPast(location string) bool {
	u := words.ParseURL(location)
	return u != nil && !c.forward && (u.Scheme == "https") == (c.proto != "") && words.IsUpstream(u.Host, c.host, c.to)
}
