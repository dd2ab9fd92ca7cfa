package rules

import (
	"slices"
	"sort"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var sessionUnknownStatus = rule("session-unknown-status",
	diagnose.Results|diagnose.Refusals|diagnose.Noise|diagnose.OddBodies|diagnose.Finish,
	func(c *diagnose.Case) {
		use := diagnose.State[sessionUse](c)
		x := c.Exchange
		switch {
		case c.N == 0: // the recording is over
			use.deaf(c)
		case x == nil || c.Session == nil || c.Session.Transport != session.TransportHTTP || c.IsModern() ||
			c.Session.Modern || x.SessionID == "" || c.Method() == mcp.Initialize:
		case c.Refusal != nil:
			use.refused(c, c.Refusal)
		case c.Kind == messageKind:
			if c.Call != nil && c.Call.Dir == wire.ToServer && c.Message.Kind == wire.MsgResult {
				use.worked(c)
			}
		case x.Calls > 0 && x.Status/100 == 2 && c.Row >= 0 && isNoMessage(c):
			use.refused(c, &diagnose.Refusal{Status: int(x.Status), Text: string(words.Clip(c.Data, 2048))})
		}
	})

// isNoMessage says whether what came in the place of a response is none: an event of
// a stream, or a body.
func isNoMessage(c *diagnose.Case) bool {
	if c.Kind != bodyKind {
		return true
	}
	if !rowOf(c).Ending.IsError() {
		return false
	}
	n, _ := wire.ScanMessages(c.Data, func(int, wire.Message) bool { return false })
	return n == 0
}

type sessionUse struct {
	results    int
	last       uint64 // frame of the latest result
	credential string // with which it worked
	methods    []string
	// What was refused since, for no reason that the refusal gives.
	frames []uint64
	since  int64
	status int
	lists  int               // of the refused, those that worked before and ask for nothing in particular
	behind *diagnose.Finding // a refusal with a status of success, until it is known what came next
}

func (u *sessionUse) worked(c *diagnose.Case) {
	if u.behind != nil { // the session works: another one, behind the server, is lost
		f := *u.behind
		u.behind = nil
		f.Side, f.Frames = diagnose.Gateway, append(f.Frames, c.N)
		f.Message += " Other requests of the same session are served (" + frame(c.N) + "): what is lost is the session between this gateway and a server behind it."
		advise(&f, "sessions behind a gateway")
		c.ReportAs("behind", f)
	}
	u.results++
	u.last, u.credential = c.N, c.Exchange.Header("Authorization")
	if len(u.methods) < 16 && !slices.Contains(u.methods, c.Call.Method) {
		u.methods = append(u.methods, c.Call.Method)
	}
	u.frames, u.lists = nil, 0
}

func (u *sessionUse) refused(c *diagnose.Case, r *diagnose.Refusal) {
	x := c.Exchange
	if r.Status == 404 || r.Status == 405 || r.Status == 409 {
		return
	}
	how, named := "", blamesSession(r) || blamesHandshake(r)
	switch in := initOf(c); {
	case r.Status/100 == 2 && (u.results == 0 || r.RPC && !aboutTransport(c, r)):
		return // the refusal of a call, in its words
	case !named:
		u.suspect(c, r)
		return
	case in == nil && blamesHandshake(r):
		return // the handshake is what is missing
	case c.Session.State == session.StateClosed:
		how = "that was ended"
	case in == nil && c.Session.IDSource == session.IDForeign:
		how = "that was not issued while midwire watched"
	case in != nil && in.OK && c.Facts.Results > 0:
		how = "that worked before"
	default:
		return
	}
	f := diagnose.Finding{
		Message: c.Server() + " responded to a request with session id " + quote(x.SessionID) + ", " + how + ", with " + number(r.Status) + " instead of 404: " + said(r) + ".",
		Frames:  []uint64{c.N, uint64(x.RequestN)},
	}
	if u.results > 0 {
		f.Frames = append(f.Frames, u.last)
	}
	if r.Status/100 == 2 && u.behind == nil && how == "that worked before" {
		u.behind = &f
		return
	}
	u.behind = nil
	c.ReportAs(number(r.Status), f)
}

// aboutTransport says whether an error with a status of success complains of the
// session of the transport, not of something of that name that was asked for.
func aboutTransport(c *diagnose.Case, r *diagnose.Refusal) bool {
	if r.Code != mcp.CodeInvalidParams && blamesHandshake(r) {
		return true
	}
	if c.Call == nil || !blamesSession(r) || hasWord(c.Call.Target, "session") {
		return false
	}
	own := false
	wire.Each(c.Call.Args, func(key, _ []byte) bool { own = own || namesSession(key); return !own })
	return !own
}

// suspect notes a refusal that gives no reason of its own.
func (u *sessionUse) suspect(c *diagnose.Case, r *diagnose.Refusal) {
	x := c.Exchange
	switch r.Status {
	case 200, 400, 403, 410, 419, 440, 498:
	default:
		return
	}
	if u.results == 0 || x.Header("Authorization") != u.credential || r.Code == mcp.CodeParseError || blamesVersion(r) ||
		blamesOrigin(r) || r.Says("accept", "host", "content-type", "scope", "json", "version", "batch", "event id") {
		return
	}
	if len(u.frames) == 0 {
		u.since, u.status = c.T, r.Status
	}
	if len(u.frames) < diagnose.MaxFrames {
		u.frames = append(u.frames, uint64(x.RequestN), c.N)
	}
	if name := rowName(c); name != mcp.ToolsCall && slices.Contains(u.methods, name) {
		u.lists++
	}
}

// deaf reports at the end an id that worked and from then on never again.
func (u *sessionUse) deaf(c *diagnose.Case) {
	if u.behind != nil {
		c.ReportAs("200", *u.behind)
	}
	if len(u.frames) == 0 {
		return
	}
	f := diagnose.Finding{
		Seen: true,
		Message: "Session id " + quote(c.Session.ID) + " worked until " + frame(u.last) + " (" + number(u.results) + " results) and was then refused every time, with " +
			number(u.status) + ", not with 404.",
		Frames: append(u.frames, u.last),
	}
	switch n := u.next(c); {
	case n != 0:
		f.Beside = []uint64{n}
		f.Message += " A new session of the same client works (" + frame(n) + ")."
	case u.lists == 0 || len(u.frames) < 4:
		return // perhaps what was asked for
	}
	c.ReportAs("deaf", f)
}

// next is the frame of the handshake of a later session of the same client in which
// the server responds, 0 for none.
func (u *sessionUse) next(c *diagnose.Case) uint64 {
	all := diagnose.Standing(c, func(all *newcomers) {
		for _, s := range c.Sessions() {
			f, who := c.FactsOf(s.Index), endpointClient{s.Endpoint, s.Client}
			if list := (*all)[who]; f != nil && f.Results > 0 && f.Init != nil &&
				(len(list) == 0 || s.Started > list[len(list)-1].Started) {
				made((*map[endpointClient][]*session.Session)(all))[who] = append(list, s)
			}
		}
	})
	list := (*all)[endpointClient{c.Session.Endpoint, c.Session.Client}]
	i := sort.Search(len(list), func(i int) bool { return list[i].Started > u.since })
	if i < len(list) && list[i] != c.Session {
		return c.FactsOf(list[i].Index).Init.ResponseN
	}
	return 0
}

// newcomers are the sessions in which the server responds, each begun after those
// before it.
type newcomers map[endpointClient][]*session.Session
