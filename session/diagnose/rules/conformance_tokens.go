package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// tokensConformance are the checks of progress tokens and of event ids that a client comes back with.
var tokensConformance = []formal{
	{
		id: "unknown-progress-token", on: diagnose.Requests | diagnose.Results | diagnose.Errors | diagnose.Notifications,
		check: func(c *diagnose.Case) {
			switch {
			case c.Message.Kind == wire.MsgNotification && c.Method() == mcp.NotifyProgress:
				checkToken(c)
			case c.Call == nil || c.Call.Token == "":
			case c.Message.Kind == wire.MsgRequest:
				diagnose.State[tokens](c).begin(c.Call)
			default:
				diagnose.State[tokens](c).end(c)
			}
		},
	},
	{
		id: "stream-resumed-empty", on: diagnose.StreamEnds,
		check: func(c *diagnose.Case) {
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
			c.Say("", c.Client()+" asked with GET and Last-Event-ID "+quote(id)+" ("+frame(x.RequestN)+") for what came after that event. In "+seconds(lasted)+" nothing came, and "+d.Method+" ("+frame(d.N)+
				") still has no response.", append([]uint64{c.N, d.N}, headFrames(x)...)...)
		},
	},
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
	if x := c.Exchange; !assigned(c) {
		if call := c.Parent; x != nil && x.Verb == "POST" && x.Calls == 1 && call != nil && call.X == x.X && call.Token == "" {
			blameSender(c, "unasked", "reported progress ("+frame(c.N)+") under the token "+raw(c.Param("progressToken"))+
				" on the stream of "+about(call)+", which has no progressToken.", c.N, call.N)
		}
		return
	}
	t := diagnose.State[tokens](c)
	token := string(c.Param("progressToken"))
	asker := c.Dir.Opposite()
	use, known := t.uses[tokenKey{asker, token}]
	f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N}}
	key := "unknown"
	switch {
	case known && (use.end == 0 || use.silent):
		return
	case known && c.Exchange != nil && uint64(c.Exchange.X) != use.x && c.T-use.endT < 1e9:
		return // streams are not in step
	case known:
		key = "late"
		f.Message = c.Named(sender(c)) + " reported progress (" + frame(c.N) + ") under the token " + raw(token) + " of a request (" + frame(use.n) + ") that already had its response (" + frame(use.end) + ")."
		f.Frames = append(f.Frames, use.end, use.n)
	case t.full:
		return
	case token == "":
		f.Message = c.Named(sender(c)) + " reported progress (" + frame(c.N) + ") without a token."
	default:
		f.Message = c.Named(sender(c)) + " reported progress (" + frame(c.N) + ") under the token " + raw(token) + ", which no request has."
		for other, use := range t.uses {
			if other.dir == asker && otherType(other.token, token) {
				f.Message = c.Named(sender(c)) + " reported progress (" + frame(c.N) + ") under the token " + raw(token) +
					". The request (" + frame(use.n) + ") has it in another JSON type: " + raw(other.token) + "."
				f.Frames = append(f.Frames, use.n)
			}
		}
	}
	c.ReportAs(key, f)
}
