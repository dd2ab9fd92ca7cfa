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

var sessionsConformance = []formal{
	{
		id: "session-id-ignored", on: diagnose.Requests | diagnose.Notifications,
		check: func(c *diagnose.Case) {
			in, x := initOf(c), c.Exchange
			if x == nil || in == nil || in.ResponseN == 0 || c.Modern || c.Dir != wire.ToServer || exempt[c.Method()] ||
				c.Session.Transport != session.TransportHTTP ||
				c.Session.IDSource != session.IDReplaced && c.Session.IDSource != session.IDServer {
				return
			}
			if id := x.SessionID; id != "" && id != c.Session.ID && uint64(x.RequestN) >= in.ResponseN {
				c.Say("", c.Server()+" assigned session id "+quote(c.Session.ID)+" ("+frame(in.ResponseN)+"), and the client sent "+c.Method()+" ("+
					frame(x.RequestN)+") under "+quote(id)+".",
					uint64(x.RequestN), in.ResponseN, in.N)
			}
		},
	},
	{
		id: "session-id-characters", on: diagnose.HTTPResponses, methods: []string{mcp.Initialize},
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Calls == 0 || x.Status > 299 {
				return
			}
			for i, b := range []byte(x.ResponseHeader(mcp.HeaderSessionID)) {
				if b < 0x21 || b > 0x7e {
					c.Report(diagnose.Finding{
						Message: c.Server() + " assigned the session id " +
							quote(x.ResponseHeader(mcp.HeaderSessionID)) + " (" + frame(x.ResponseN) + "), whose byte " +
							number(i+1) + " is 0x" + strconv.FormatUint(uint64(b), 16) + ".",
						Frames: headFrames(x),
					})
					return
				}
			}
		},
	},
	{
		id: "session-id-twice", on: diagnose.HTTPResponses | diagnose.Finish,
		check: func(c *diagnose.Case) {
			twice, x := diagnose.State[doubled](c), c.Exchange
			switch {
			case x == nil:
				twice.report(c)
			case len(twice.frames) == 0 && x.Status < 300 && rowName(c) == mcp.Initialize:
				twice.sent(c.Server()+" sent its session id twice in one head, ", x.ResponseHead, uint64(x.ResponseN), uint64(x.RequestN))
			case !twice.back && twice.sent(c.Client()+" named its session by two ids joined with a comma, ", x.RequestHead, uint64(x.RequestN), uint64(x.ResponseN)):
				twice.back = true
			}
		},
	},
	{
		id: "session-id-guessable", on: diagnose.HTTPResponses, methods: []string{mcp.Initialize},
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Calls == 0 || x.Status > 299 {
				return
			}
			id := x.ResponseHeader(mcp.HeaderSessionID)
			if id == "" || id == x.Header(mcp.HeaderSessionID) { // the client's own
				return
			}
			m := diagnose.Memory[latestID](c)
			last := *m
			*m = latestID{id, uint64(x.ResponseN)}
			f := diagnose.Finding{Frames: headFrames(x)}
			switch {
			case last.id != "" && follows(last.id, id):
				f.Message = "The session id " + quote(id) + " (" + frame(x.ResponseN) + ") follows " + quote(last.id) + " (" + frame(last.n) + ")."
				f.Frames = append(f.Frames, last.n)
			case len(id) < 16:
				f.Message = "The session id " + quote(id) + " (" + frame(x.ResponseN) + ") has " + number(len(id)) + " characters only."
			default:
				return
			}
			c.ReportAs("", f)
		},
	},
	{
		id: "unassigned-session-id", on: diagnose.HTTPRequests | diagnose.Results | diagnose.Conns, methods: []string{mcp.Initialize},
		check: func(c *diagnose.Case) {
			x := c.Exchange
			switch {
			case c.Kind == connKind:
				if c.Frame.Kind == wire.KindClose {
					delete(withoutIDs(c), c.Frame.Conn)
				}
			case x == nil || c.Session == nil:
			case c.Kind == messageKind:
				if c.Call != nil && c.Session.Transport == session.TransportHTTP && c.Session.ID == "" &&
					x.Header(mcp.HeaderSessionID) == "" {
					withoutIDs(c)[x.Conn] = sessionless{c.N, x.Path}
				}
			case x.Messages > 0:
				noSuchID(c)
			}
		},
	},
	{
		id: "session-id-crossed", on: diagnose.Requests, methods: []string{mcp.ToolsCall},
		check: func(c *diagnose.Case) {
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
					c.Say(where, "The call "+quote(c.Call.Target)+" ("+frame(c.N)+") came in session "+quote(c.Session.ID)+", and "+where+"."+
						string(key)+" names another session, "+quote(wire.Said(value))+".")
					return false
				})
			}
		},
	},
	{
		id: "sessions-left-open", on: diagnose.OtherResponses | diagnose.StreamEnds,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			in := initOf(c)
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
			if o.told {
				return
			}
			if n := o.count(); n >= manySessions {
				o.told = true
				f := diagnose.Finding{Frames: append(headFrames(x), in.N)}
				f.Message = c.Client() + " holds " + number(n) + " sessions of " + x.Path + " open at the same time, each with a GET stream, and has ended none of them with DELETE."
				c.ReportAs(number(who>>1), f)
			}
		},
	},
	{
		id: "version-header-differs", on: diagnose.OddVersions,
		check: func(c *diagnose.Case) {
			if !afterHandshake(c) || saysVersion(c.Exchange, c.Facts.Init.Chosen) {
				return
			}
			x, init, r := c.Exchange, c.Facts.Init, rowOf(c)
			sent := wire.HeadValues(x.RequestHead, mcp.HeaderVersion)
			if sent == "" || sent == string(init.Chosen) || mcp.Version(sent).IsModern() && r != nil && r.Modern {
				return
			}
			c.Say(sent, target(x)+" ("+frame(x.RequestN)+") says "+mcp.HeaderVersion+" "+quote(sent)+"; "+
				string(init.Chosen)+" was negotiated ("+frame(init.ResponseN)+").",
				uint64(x.RequestN), init.ResponseN)
		},
	},
	{
		id: "version-header-missing", on: diagnose.OddVersions,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if !afterHandshake(c) || saysVersion(x, c.Facts.Init.Chosen) ||
				wire.HeadValues(x.RequestHead, mcp.HeaderVersion) != "" {
				return
			}
			init := c.Facts.Init
			c.Say("", target(x)+" ("+frame(x.RequestN)+") has no "+mcp.HeaderVersion+" header; "+string(init.Chosen)+
				" was negotiated ("+frame(init.ResponseN)+").",
				uint64(x.RequestN), init.ResponseN)
		},
	},
}

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

// withoutIDs are the connections on which a session without an id began: the
// frame of the response to initialize, and the endpoint.
func withoutIDs(c *diagnose.Case) map[uint32]sessionless {
	return made(diagnose.Memory[map[uint32]sessionless](c))
}

type sessionless struct {
	n    uint64
	path string
}

func noSuchID(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case c.Session.Modern:
		if id := x.Header(mcp.HeaderSessionID); id != "" {
			c.Say("", quote(rowName(c))+" ("+frame(x.RequestN)+") is of protocol version "+string(c.Session.ProtocolVersion)+", which has no sessions, and has the session id "+quote(id)+".",
				uint64(x.RequestN))
		}
	case c.Session.IDSource == session.IDForeign:
		if was, ok := withoutIDs(c)[x.Conn]; ok && was.path == x.Path {
			c.Say("", quote(rowName(c))+" ("+frame(x.RequestN)+") has the session id "+quote(c.Session.ID)+"; the server's response to initialize on the same connection ("+frame(was.n)+") assigned none.",
				uint64(x.RequestN), was.n)
		}
	}
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
	says   []string
	frames []uint64
	back   bool // the client sent them
}

func (d *doubled) sent(what string, head []byte, frames ...uint64) bool {
	ids := wire.HeadValues(head, mcp.HeaderSessionID)
	if !strings.Contains(ids, ", ") {
		return false
	}
	d.says = append(d.says, what+quote(ids)+" ("+frame(frames[0])+")")
	d.frames = append(d.frames, frames...)
	return true
}

func (d *doubled) report(c *diagnose.Case) {
	if len(d.frames) == 0 {
		return
	}
	f := diagnose.Finding{Frames: d.frames, Message: strings.Join(d.says, "; ") + "."}
	last := slices.Max(d.frames)
	if in := initOf(c); in != nil {
		last = max(last, in.ResponseN)
	}
	switch {
	case c.ServedSince(last):
		f.Severity, f.Harmless = diagnose.Note, true
	case !d.back:
		f.Severity = diagnose.Warning
	}
	c.ReportAs("", f)
}

// saysVersion says whether a request head names that protocol version, which it does
// nowhere but in MCP-Protocol-Version, at little cost.
func saysVersion(x *session.Exchange, version mcp.Version) bool {
	return bytes.Contains(x.RequestHead, []byte(version))
}

// afterHandshake says whether the HTTP request in hand is one of Streamable
// HTTP that was sent after the response to initialize.
func afterHandshake(c *diagnose.Case) bool {
	return c.Session != nil && c.Session.Transport == session.TransportHTTP && !c.Session.Modern &&
		c.Facts.Negotiated() && uint64(c.Exchange.RequestN) > c.Facts.Init.ResponseN && isMCP(c)
}
