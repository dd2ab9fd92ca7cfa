package rules

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionsConformance = []*diagnose.Rule{
	{ID: "session-id-ignored", On: diagnose.Requests | diagnose.Notifications, Check: func(c *diagnose.Case) {
		in, x := initOf(c), c.Exchange
		if x == nil || in == nil || in.ResponseN == 0 || c.Modern || c.Dir != wire.ToServer || exempt[c.Method()] ||
			c.Session.Transport != session.TransportHTTP ||
			c.Session.IDSource != session.IDReplaced && c.Session.IDSource != session.IDServer {
			return
		}
		if id := x.SessionID; id != "" && id != c.Session.ID && uint64(x.RequestN) >= in.ResponseN {
			c.Found("", "", fill{"id": c.Session.ID, "assigned": in.ResponseN, "sent": id}, uint64(x.RequestN), in.ResponseN, in.N)
		}
	}},
	{ID: "session-id-characters", On: diagnose.HTTPResponses, Methods: handshake, Check: func(c *diagnose.Case) {
		id := c.Exchange.ResponseHeader(mcp.HeaderSessionID)
		at := strings.IndexFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7e })
		if c.Exchange.Calls > 0 && c.Exchange.Status < 300 && at >= 0 {
			c.Found("", id, fill{"id": id, "at": at + 1, "byte": strconv.FormatUint(uint64(id[at]), 16)})
		}
	}},
	{ID: "session-id-twice", On: diagnose.HTTPResponses | diagnose.Finish, Check: func(c *diagnose.Case) {
		twice, x := diagnose.State[doubled](c), c.Exchange
		switch {
		case x == nil:
			twice.report(c)
		case len(twice.frames) == 0 && x.Status < 300 && rowName(c) == mcp.Initialize:
			twice.sent("sent", x.ResponseHead, uint64(x.ResponseN), uint64(x.RequestN))
		case !twice.back && twice.sent("used", x.RequestHead, uint64(x.RequestN), uint64(x.ResponseN)):
			twice.back = true
		}
	}},
	{ID: "session-id-guessable", On: diagnose.HTTPResponses, Methods: handshake, Check: func(c *diagnose.Case) {
		x := c.Exchange
		id := x.ResponseHeader(mcp.HeaderSessionID)
		if x.Calls == 0 || x.Status > 299 || id == "" || id == x.Header(mcp.HeaderSessionID) { // the client's own
			return
		}
		m := diagnose.Memory[latestID](c)
		last := *m
		*m = latestID{id, uint64(x.ResponseN)}
		switch {
		case last.id != "" && follows(last.id, id):
			c.Found("follows", "", fill{"id": id, "last": last.id, "before": last.n}, append(headFrames(x), last.n)...)
		case len(id) < 16:
			c.Found("short", "", fill{"id": id, "length": len(id)})
		}
	}},
	{ID: "unassigned-session-id", On: atConnections, Methods: handshake, Check: func(c *diagnose.Case) {
		x, without := c.Exchange, made(diagnose.Memory[map[uint32]sessionless](c))
		switch {
		case c.Kind == connKind:
			if c.Frame.Kind == wire.KindClose {
				delete(without, c.Frame.Conn)
			}
		case x == nil || c.Session == nil:
		case c.Kind == messageKind:
			if c.Call != nil && c.Session.Transport == session.TransportHTTP && c.Session.ID == "" &&
				x.Header(mcp.HeaderSessionID) == "" {
				without[x.Conn] = sessionless{c.N, x.Path}
			}
		case x.Messages == 0:
		case c.Session.Modern:
			if id := x.Header(mcp.HeaderSessionID); id != "" {
				c.Found("modern", "", fill{"id": id}, uint64(x.RequestN))
			}
		case c.Session.IDSource == session.IDForeign:
			if was, ok := without[x.Conn]; ok && was.path == x.Path {
				c.Found("", "", fill{"id": c.Session.ID, "init": was.n}, uint64(x.RequestN), was.n)
			}
		}
	}},
	{ID: "session-id-crossed", On: diagnose.Requests, Methods: toolCalls, Check: func(c *diagnose.Case) {
		ids := made(diagnose.Memory[map[string]int](c))
		if c.Exchange == nil || c.Session.ID == "" || c.Session.IDSource != session.IDServer {
			return
		}
		if own, known := ids[c.Session.ID]; (!known || own != c.Session.Index) && len(ids) < 65536 {
			ids[c.Session.ID] = c.Session.Index
		}
		if len(ids) < 2 || !diagnose.ByOutline(c, func() bool { return mayNameSession(c) }) {
			return
		}
		for _, where := range sessionPlaces {
			wire.Members(c.Param(where), func(key, value []byte) bool {
				if len(value) < 10 || value[0] != '"' || !namesSession(key) {
					return true
				}
				other, ok := ids[wire.Said(value)]
				if !ok || other == c.Session.Index {
					return true
				}
				c.Found("", where, fill{"own": c.Session.ID, "where": where + "." + string(key), "other": value}, c.N)
				return false
			})
		}
	}},
	{ID: "sessions-left-open", On: diagnose.OtherResponses | diagnose.StreamEnds, Check: func(c *diagnose.Case) {
		x, in := c.Exchange, initOf(c)
		if x.Verb != "GET" || !x.IsStream || in == nil || c.Session.Transport != session.TransportHTTP ||
			c.Session.ID == "" {
			return
		}
		all := made(diagnose.Memory[map[uint64]*openSessions](c))
		who := hashOf(in.ClientInfo, []byte(c.Session.Endpoint), []byte(x.Header("Authorization")))
		o := all[who]
		switch {
		case o == nil && len(all) < 1024:
			o = &openSessions{streams: map[uint32]uint64{}}
			all[who] = o
		case o == nil:
			return
		}
		if c.Kind == endKind {
			delete(o.streams, x.X)
			return
		}
		if len(o.streams) < 1024 {
			o.streams[x.X] = uint64(in.N)
		}
		if n := o.count(); n >= manySessions && !o.told {
			o.told = true
			c.Found("", number(who>>1), fill{"count": n, "path": x.Path}, append(headFrames(x), in.N)...)
		}
	}},
	{ID: "version-header-differs", On: diagnose.OddVersions, Check: func(c *diagnose.Case) {
		if !afterHandshake(c) {
			return
		}
		x, init, r := c.Exchange, c.Facts.Init, rowOf(c)
		sent := wire.HeadValues(x.RequestHead, mcp.HeaderVersion)
		if sent != "" && sent != string(init.Chosen) && (!mcp.Version(sent).IsModern() || r == nil || !r.Modern) {
			c.Found("", sent, fill{"sent": sent, "chosen": init.Chosen, "init": init.ResponseN}, uint64(x.RequestN), init.ResponseN)
		}
	}},
	{ID: "version-header-missing", On: diagnose.OddVersions, Check: func(c *diagnose.Case) {
		if afterHandshake(c) && wire.HeadValues(c.Exchange.RequestHead, mcp.HeaderVersion) == "" {
			init := c.Facts.Init
			c.Found("", "", fill{"chosen": init.Chosen, "init": init.ResponseN}, uint64(c.Exchange.RequestN), init.ResponseN)
		}
	}},
}

const atConnections = diagnose.HTTPRequests | diagnose.Results | diagnose.Conns

type latestID struct {
	id string
	n  uint64
}

// follows says whether two ids are the same but for a number at their end that
// has grown a little.
func follows(a, b string) bool {
	const digits = "0123456789"
	stem := strings.TrimRight(a, digits)
	if stem != strings.TrimRight(b, digits) {
		return false
	}
	m, errA := strconv.ParseUint(a[len(stem):], 10, 64)
	n, errB := strconv.ParseUint(b[len(stem):], 10, 64)
	return errA == nil && errB == nil && n > m && n-m <= 16
}

// sessionless is how a session without an id began on a connection: the frame of the response
// to initialize, and the endpoint.
type sessionless struct {
	n    uint64
	path string
}

// sessionPlaces are the parameters of a call where clients name a session.
var sessionPlaces = [...]string{"_meta", "arguments"}

// mayNameSession says whether the call in hand has a member there that is spelled so.
func mayNameSession(c *diagnose.Case) (may bool) {
	for _, where := range sessionPlaces {
		wire.Members(c.Param(where), func(key, _ []byte) bool {
			may = may || namesSession(key)
			return !may
		})
	}
	return may
}

// namesSession says whether a key is spelled like the id of a session or
// conversation.
func namesSession(key []byte) bool {
	if len(key) < 6 || len(key) > 64 || string(key) == mcp.MetaProgressToken {
		return false
	}
	return hasWord(string(key), "session", "conversation", "thread")
}

// manySessions are more than a client needs.
const manySessions = 6

// openSessions are the GET streams of a client that are open, with the handshake of
// their session.
type openSessions struct {
	streams map[uint32]uint64
	told    bool
}

func (o *openSessions) count() int {
	different := map[uint64]bool{}
	for _, n := range o.streams {
		different[n] = true
	}
	return len(different)
}

// doubled are the heads with several session ids, of which there is one, and what they say.
type doubled struct {
	with   fill
	frames []uint64
	back   bool // the client sent them
}

func (d *doubled) sent(name string, head []byte, frames ...uint64) bool {
	ids := wire.HeadValues(head, mcp.HeaderSessionID)
	if !strings.Contains(ids, ", ") {
		return false
	}
	made(&d.with)[name], d.with[name+" in"] = ids, frames[0]
	d.frames = append(d.frames, frames...)
	return true
}

func (d *doubled) report(c *diagnose.Case) {
	if len(d.frames) == 0 {
		return
	}
	f := diagnose.Finding{Frames: d.frames, With: d.with}
	last := slices.Max(d.frames)
	if in := initOf(c); in != nil {
		last = max(last, in.ResponseN)
	}
	if d.with["sent"] == nil && d.with["used"] != nil { // nobody gave it two
		f.Side = diagnose.Client
		f.Remedies = fixes(inClient("send the field once: the transport of an SDK adds it by itself."))
	}
	switch {
	case c.ServedSince(last):
		f.Severity, f.Harmless = diagnose.Note, true
	case !d.back:
		f.Severity = diagnose.Warning
	}
	c.ReportAs("", f)
}

// afterHandshake says whether the HTTP request in hand is one of Streamable HTTP that was sent
// after the response to initialize, and its head does not name the version that was chosen,
// which it does nowhere but in MCP-Protocol-Version.
func afterHandshake(c *diagnose.Case) bool {
	return c.Session != nil && c.Session.Transport == session.TransportHTTP && !c.Session.Modern &&
		c.Facts.Negotiated() && uint64(c.Exchange.RequestN) > c.Facts.Init.ResponseN && isMCP(c) &&
		!bytes.Contains(c.Exchange.RequestHead, []byte(c.Facts.Init.Chosen))
}
