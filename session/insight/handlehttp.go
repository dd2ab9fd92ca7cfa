package insight

import (
	"net/url"
	"strings"

	"midwire/session"
	"midwire/session/handle"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Handles in the heads of HTTP messages, and in URLs.

// placeHeader begins the Place of a use in a header.
const placeHeader = "header "

// Header is the name of the header that a use stands in, "" for none.
func (u *Use) Header() string {
	name, ok := strings.CutPrefix(u.Place, placeHeader)
	if !ok {
		return ""
	}
	return name
}

// response takes the head of a response: the id of a session may be in it.
func (x *handles) response(b *Book, e *session.Event) {
	x.judged(e.Exchange, nil)
	id := e.Exchange.ResponseHeader(mcp.HeaderSessionID)
	if id == "" {
		return
	}
	x.offer(&Handle{Kind: "session id", Value: id, Name: mcp.HeaderSessionID, From: Use{
		N: uint64(e.Exchange.ResponseN), T: e.T, Session: sessionOf(e), What: b.rowName(e.Row),
		Place: placeHeader + mcp.HeaderSessionID,
	}})
	if h := x.by[id]; h != nil && h.From.N == uint64(e.Exchange.ResponseN) && len(x.issued) < maxCalls {
		x.issued[sessionOf(e)] = h
	}
}

// event takes the endpoint event of HTTP+SSE, whose URL carries the session.
func (x *handles) event(e *session.Event) {
	if e.SSE.Name != "endpoint" {
		return
	}
	_, query, _ := strings.Cut(string(e.SSE.Data), "?")
	inQuery(query, func(name, value string) {
		x.offer(&Handle{Kind: "session id", Value: value, Name: name, From: Use{
			N: e.N, T: e.T, Session: sessionOf(e), What: "endpoint event", Place: "?" + clip(name, 100),
		}})
	})
}

func inQuery(query string, yield func(name, value string)) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if v, err := url.QueryUnescape(value); err == nil && v != "" {
			yield(name, v)
		}
	}
}

// request takes a whole HTTP request: its headers and its URL may use handles.
func (x *handles) request(b *Book, e *session.Event) {
	ex := e.Exchange
	u := Use{N: uint64(ex.RequestN), T: ex.RequestT, Session: sessionOf(e), What: b.rowName(e.Row)}
	if e.Row >= 0 {
		u.N = uint64(b.t.Row(int(e.Row)).Request)
	}
	use := func(value string, named bool, name string) {
		if used, ok := x.use(value, named, name, u); ok && len(x.pending) < maxCalls {
			x.pending[ex.X] = append(x.pending[ex.X], used)
		}
	}
	if id := ex.SessionID; id == "" {
		x.missing(&u, ex)
	} else {
		u.Place = placeHeader + mcp.HeaderSessionID
		if x.by[id] == nil { // no server issued it while we watched
			x.offer(&Handle{
				Kind:  "session id",
				Value: id,
				Name:  mcp.HeaderSessionID,
				From:  Use{T: ex.RequestT, Session: u.Session},
			})
		}
		use(id, false, mcp.HeaderSessionID)
	}
	inQuery(ex.Query, func(name, value string) {
		u.Place = "URL ?" + clip(name, 100)
		use(value, handle.Named(name), name)
	})
	head, ok := wire.ParseHead(ex.RequestHead)
	if !ok {
		return
	}
	for _, f := range head.Fields {
		if !isProtocols(f.Name) && handle.Opaque(f.Value) {
			u.Place = placeHeader + f.Name
			use(f.Value, false, f.Name)
		}
	}
}

// isProtocols reports whether a header repeats what the protocol has in other
// places too, and is looked at there.
func isProtocols(name string) bool {
	return strings.EqualFold(name, mcp.HeaderSessionID) || strings.EqualFold(name, mcp.HeaderName) ||
		words.HasPrefix(name, mcp.HeaderParamPrefix)
}

// missing notes that a request does not carry the session id that its session
// was given.
func (x *handles) missing(u *Use, ex *session.Exchange) {
	h := x.issued[u.Session]
	if h == nil || ex.Messages == 0 && ex.Verb == "POST" || strings.HasPrefix(u.What, mcp.Initialize) {
		return
	}
	one := *u
	one.Place, one.LeftOut = placeHeader+mcp.HeaderSessionID, true
	h.note(one)
}

// judged settles what the head of a request used, once the status and, where
// that does not say it, the body of the response are known. The body is nil
// as long as it is not.
func (x *handles) judged(ex *session.Exchange, body []byte) {
	for _, one := range x.pending[ex.X] {
		switch status := int(ex.Status); {
		case status == 0:
			return
		case status < 400, status == 405 && ex.Verb != "POST":
			one.settle(session.Served, false) // a server may have no stream, and may keep sessions alive
		case status == 404:
			one.settle(session.Refused, true)
		case body == nil:
			return
		default:
			one.settle(session.Refused, one.blamed(body))
		}
	}
	delete(x.pending, ex.X)
}
