package session

import "strings"

// announced finds the HTTP+SSE session whose endpoint event named the target.
func (t *Tracker) announced(ex *exchange) *group {
	if len(t.dir.endpoints) == 0 {
		return nil
	}
	target := t.Name(ex.path)
	if ex.query != "" {
		target += "?" + ex.query
	}
	i, ok := t.dir.endpoints[shortID(target)]
	if id := QueryID(ex.query); !ok && id != "" && t.Name(ex.verb) != "GET" {
		i, ok = t.dir.endpoints[shortID(t.Name(ex.path)+"\x00"+id)]
	}
	if !ok {
		return nil
	}
	return t.groups[i]
}

// byQuery finds the session of Streamable HTTP that an id in a query names: one that was named
// so here before, or the only one to which a server has issued the id, at whichever path.
func (t *Tracker) byQuery(place uint32, id string) *group {
	if g := t.byID(place, []byte(id)); g != nil {
		return g
	}
	var only *group
	for i, n := len(t.groups)-1, 0; i >= 0 && n < maxRemembered; i, n = i-1, n+1 {
		g := t.groups[i]
		if g.ID != id || g.Transport != TransportHTTP || g.IDSource != IDServer && g.IDSource != IDReplaced {
			continue
		}
		if only != nil {
			return nil
		}
		only = g
	}
	if only != nil {
		found(t.dir.ids, string(t.idKey(place, []byte(id))), only)
	}
	return only
}

// streamable makes a session that was begun by an id in a query one of Streamable HTTP: its
// responses come where they are asked for.
func (t *Tracker) streamable(g *group) {
	if g.Transport != TransportSSE || g.IDSource != IDQuery {
		return
	}
	g.Transport = TransportHTTP
	found(t.dir.ids, string(t.idKey(g.place, []byte(g.ID))), g)
	t.markDirty(g)
}

// respondsTo takes a response that came where its request was posted: HTTP+SSE has none.
func (t *Tracker) respondsTo(ex *exchange, g *group) {
	if g != nil && ex.status == 200 && t.Name(ex.verb) == "POST" {
		t.streamable(g)
	}
}

// byTarget finds the HTTP+SSE session that a request target names. An id in
// the query that no server announced begins one: the recording began later, or the
// session is one of Streamable HTTP, which the client's Accept or the response shows.
func (t *Tracker) byTarget(ex *exchange) *group {
	if g := t.announced(ex); g != nil {
		return g
	}
	id := QueryID(ex.query)
	if id == "" || ex.hasID || t.Name(ex.verb) == "GET" {
		return nil
	}
	g := t.newHTTP(ex, TransportSSE, whyQuery)
	g.ID, g.IDSource = id, IDQuery
	found(t.dir.endpoints, shortID(t.Name(ex.path)+"\x00"+id), g)
	if ex.stream {
		t.streamable(g)
	}
	return g
}

// QueryID returns the session id in a query. Servers spell its name sessionId,
// session_id or sessionid.
func QueryID(query string) string {
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if strings.EqualFold(strings.ReplaceAll(name, "_", ""), "sessionid") {
			return shortID(value)
		}
	}
	return ""
}
