package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// tokensConformance are the checks of progress tokens and of event ids that a client comes back with.
var tokensConformance = []*diagnose.Rule{
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
