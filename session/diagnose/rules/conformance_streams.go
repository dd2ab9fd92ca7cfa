package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var streamsConformance = []*diagnose.Rule{
	{ID: "stream-buffered", On: diagnose.Results, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || !x.IsStream || c.Call == nil || c.Call.X != x.X || c.Call.Progress < 3 || c.Row < 0 {
			return
		}
		silent, burst := x.FirstEventT-x.RequestT, c.T-x.FirstEventT
		if rowOf(c).Ending == session.Served && c.Call.Dir == wire.ToServer && silent >= 2e9 && burst <= 20e6 {
			c.Found("", "", fill{"count": c.Call.Progress, "burst": burst / 1e6, "silent": silent / 1e9}, c.Call.N, c.N)
		}
	}},
	{ID: "stream-headers", On: diagnose.HTTPResponses, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if !x.IsStream || x.Status != 200 || c.Session == nil && x.Verb != "GET" {
			return
		}
		if !bytes.Contains(x.ResponseHead, []byte("ent-Encoding:")) && !bytes.Contains(x.ResponseHead, []byte("ent-encoding:")) &&
			bytes.Contains(x.ResponseHead, []byte("no-cache")) {
			return // the usual ones: the rule runs for every stream
		}
		if coding := x.ResponseHeader("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
			c.Found("coding", coding, fill{"coding": coding})
		}
		if cache := wire.HeadValues(x.ResponseHead, "Cache-Control"); !hasWord(cache, "no-cache", "no-store") {
			c.Found("cache", "cache", nil)
		}
	}},
	{ID: "stream-after-response", On: diagnose.SSE | diagnose.StreamEnds, Check: func(c *diagnose.Case) {
		x, r := c.Exchange, rowOf(c)
		if x.Verb != "POST" || x.Calls != 1 || !x.IsStream || isSSE(c) || c.Session == nil ||
			r == nil || r.Kind != session.RowCall || r.Response == 0 || r.End == 0 {
			return
		}
		says := ""
		switch {
		case c.Kind == sseKind && (bytes.HasPrefix(c.SSE.Data, []byte("{")) || bytes.HasPrefix(c.SSE.Data, []byte("["))):
			says = "message"
		case c.Kind == endKind && c.T-r.End > 5e9:
			says = "open"
		default:
			return
		}
		c.Found(says, says, fill{"served": r.Response, "open": (c.T - r.End) / 1e9}, c.N, uint64(r.Response), uint64(x.RequestN))
	}},
	{ID: "stream-ended-early", On: diagnose.StreamEnds | diagnose.SSE, Check: func(c *diagnose.Case) {
		x, r := c.Exchange, rowOf(c)
		if x.Verb != "POST" || x.Calls == 0 || !x.IsStream || isSSE(c) || c.Session == nil {
			return
		}
		if c.Kind == sseKind {
			unfinishedEvent(c)
			return
		}
		if r == nil || r.Kind != session.RowCall || c.By != wire.ByServer ||
			c.Session.State == session.StateClosed || mcp.StaysOpen(rowName(c)) {
			return
		}
		resumable := r.Ending.Open() // the events had ids
		if !resumable && !r.Ending.Lost() {
			return
		}
		f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...), With: fill{}}
		broken := latest(c, func(other *session.Row) bool { return other.Kind == session.RowNoise && other.X == r.X })
		resume, due := c.Ledger.Other(ledger.Resume, int(c.Row))
		switch {
		case broken != nil:
			f.Says, f.With["broken"] = "broken event", broken.Request
			f.Frames = append(f.Frames, uint64(broken.Request))
		case !c.Clean && resumable:
			return // connections break, and this one can be resumed
		case !c.Clean:
			f.Says, f.Severity, f.Side, f.Seen = "broken", diagnose.Note, diagnose.Unclear, true
		case !resumable:
			f.Says = "no ids"
		case due && resume.Due != 0: // the server said when to come back
			return
		}
		c.ReportAs(f.Says, f)
	}},
	{ID: "response-on-wrong-stream", On: diagnose.Results | diagnose.Errors, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.RequestN == 0 || c.Call == nil || c.Call.X == x.X || c.Dir != wire.ToClient ||
			c.Call.Dir != wire.ToServer || isSSE(c) || c.Session.Transport != session.TransportHTTP {
			return
		}
		if x.Verb != "GET" || x.Header(mcp.HeaderLastEventID) == "" { // else it was resumed
			c.Found("", x.Verb, nil, c.N, c.Call.N, uint64(x.RequestN))
		}
	}},
	{
		ID: "last-event-id-missing", On: diagnose.SSE | diagnose.StreamEnds | diagnose.OtherResponses,
		Check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Verb != "GET" || !x.IsStream || c.Session == nil ||
				c.Session.Transport != session.TransportHTTP || isSSE(c) {
				return
			}
			s := diagnose.State[numbered](c)
			switch c.Kind {
			case sseKind:
				if c.SSE.HasID && c.SSE.ID != "" {
					s.id, s.n, s.x = c.SSE.ID, c.N, x.X
				}
			case endKind:
				s.cut = x.X == s.x && c.By != wire.ByClient && !c.Clean
			default:
				if s.cut && x.Header(mcp.HeaderLastEventID) == "" {
					c.Found("", "", fill{"id": s.id, "last": s.n}, uint64(x.RequestN), s.n)
				}
				s.cut = false
			}
		},
	},
	{ID: "notification-wrong-status", On: diagnose.HTTPResponses | diagnose.OddBodies, Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Calls > 0 || x.Messages == 0 || x.Verb != "POST" || x.Status < 200 || x.Status > 299 || !isSure(c) {
			return
		}
		name := "A response of the client"
		if method := rowName(c); method != "" {
			name = quote(method)
		}
		switch {
		case c.Kind == responseKind && x.Status != 202:
			c.Found("status", name+number(x.Status), fill{"what": name, "status": x.Status})
		case c.Kind == bodyKind && x.Status == 202 && len(c.Data) > 0:
			body := string(words.Clip(c.Data, 100))
			c.Found("body", name, fill{"what": name, "status": x.Status, "size": len(c.Data), "body": body})
		}
	}},
	{ID: "wrong-content-type", On: diagnose.OtherMedia | diagnose.OtherResponses, Check: func(c *diagnose.Case) {
		x := c.Exchange
		media := x.ResponseHeader("Content-Type")
		f := diagnose.Finding{Frames: headFrames(x), With: fill{"media": orNone(media), "status": x.Status}}
		switch {
		case isStreamGet(x):
			// Where nothing worked yet, wrong-url says so.
			if x.Status == 200 && !x.IsStream && isMCP(c) && !isSSE(c) && c.Facts.LastOK != 0 {
				f.Says, f.Severity = "stream", diagnose.Warning
				c.ReportAs("stream "+media, withAdvice("another handler for GET", f))
			}
		case x.Calls == 0 || x.IsStream || x.Verb != "POST" || x.Status < 200 || x.Status > 299 ||
			x.Status == 202 || isSSE(c) || wire.IsMediaType(media, mediaJSON),
			media == "" && x.ResponseHeader("Content-Length") == "0": // there is nothing that has a type
		default:
			if wire.IsMediaType(media, mediaHTML) {
				advise(&f, "a page in the place of a stream")
			}
			c.ReportAs(media, f)
		}
	}},
	{ID: "unknown-progress-token", On: diagnose.Messages, Check: func(c *diagnose.Case) {
		switch {
		case c.Message.Kind == wire.MsgNotification && c.Method() == mcp.NotifyProgress:
			checkToken(c)
		case c.Call == nil || c.Call.Token == "":
		case c.Message.Kind == wire.MsgRequest:
			diagnose.State[tokens](c).begin(c.Call)
		default:
			diagnose.State[tokens](c).end(c)
		}
	}},
	{ID: "stream-resumed-empty", On: diagnose.StreamEnds, Check: func(c *diagnose.Case) {
		x := c.Exchange
		id := x.Header(mcp.HeaderLastEventID)
		if x.Verb != "GET" || !x.IsStream || id == "" || x.Events > 0 || c.Session == nil || isSSE(c) {
			return
		}
		row, lasted := oldest(c), c.T-x.ResponseT
		if row < 0 || c.By == wire.ByClient && lasted < 5e9 {
			return
		}
		d, _ := c.Ledger.Of(int(row))
		c.Found("", "", fill{"id": id, "lasted": seconds(lasted), "op": d.Method, "asked": d.N}, append([]uint64{c.N, d.N}, headFrames(x)...)...)
	}},
}

// orNone is a Content-Type within a sentence.
func orNone(media string) string {
	if media == "" {
		return "no Content-Type"
	}
	return "Content-Type " + quote(media)
}

// numbered is the latest event with an id on the GET stream of a session.
type numbered struct {
	id  string
	n   uint64
	x   uint32
	cut bool // that stream has ended since
}

// unfinishedEvent reports a message that is the last of its stream and lacks the blank line
// that ends an event: by the standard a client discards it (WHATWG HTML, 9.2.6).
func unfinishedEvent(c *diagnose.Case) {
	if c.Frame.Part != wire.Cut || !wire.Valid(c.SSE.Data) {
		return
	}
	c.ReportAs("unfinished", withAdvice("events without their end", diagnose.Finding{
		Brief: "event without its end", Frames: append([]uint64{c.N}, headFrames(c.Exchange)...), Says: "unfinished",
	}))
}

// tokens are the progress tokens of a session.
type tokens struct {
	uses map[tokenKey]tokenUse
	full bool // some were not kept
}

type tokenKey struct {
	dir   wire.Dir // of the request
	token string   // raw JSON
}

type tokenUse struct {
	n, x   uint64 // frame and exchange of the request
	end    uint64 // frame of the response
	endT   int64
	silent bool // nothing can be said of what comes later
}

const maxTokens = 4096

func (t *tokens) begin(call *diagnose.Call) {
	if len(t.uses) >= maxTokens {
		clear(t.uses)
		t.full = true
	}
	made(&t.uses)[tokenKey{call.Dir, call.Token}] = tokenUse{n: call.N, x: uint64(call.X)}
}

// end notes a response. A task goes on behind it and keeps its token
// (2025-11-25 basic/utilities/tasks: Task Progress).
func (t *tokens) end(c *diagnose.Case) {
	key := tokenKey{c.Call.Dir, c.Call.Token}
	use, known := t.uses[key]
	if !known || use.n != c.Call.N {
		return
	}
	use.end, use.endT = c.N, c.T
	use.silent = c.Call.Cancel != 0 || c.Message.Kind == wire.MsgResult && c.Result("task") != nil
	t.uses[key] = use
}

func checkToken(c *diagnose.Case) {
	if !c.Facts.Negotiated() || c.Blind() {
		return
	}
	token := string(c.Param("progressToken"))
	if x := c.Exchange; !assigned(c) {
		if call := c.Parent; x != nil && x.Verb == "POST" && x.Calls == 1 && call != nil && call.X == x.X && call.Token == "" {
			c.Blame("unasked", "unasked", fill{"token": raw(token), "op": about(call)}, c.N, call.N)
		}
		return
	}
	t, asker := diagnose.State[tokens](c), c.Dir.Opposite()
	use, known := t.uses[tokenKey{asker, token}]
	switch {
	case known && (use.end == 0 || use.silent):
	case known && c.Exchange != nil && uint64(c.Exchange.X) != use.x && c.T-use.endT < 1e9: // streams are not in step
	case known:
		c.Blame("late", "late", fill{"token": raw(token), "asked": use.n, "end": use.end}, c.N, use.end, use.n)
	case t.full:
	case token == "":
		c.Blame("none", "unknown", nil, c.N)
	default:
		for other, use := range t.uses {
			if other.dir == asker && otherType(other.token, token) {
				c.Blame("type", "unknown", fill{"token": raw(token), "asked": use.n, "other": raw(other.token)}, c.N, use.n)
				return
			}
		}
		c.Blame("", "unknown", fill{"token": raw(token)}, c.N)
	}
}
