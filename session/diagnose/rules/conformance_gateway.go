package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// gatewayConformance are what a gateway changes, by the recordings of both its sides.
var gatewayConformance = []*diagnose.Rule{
	{ID: "gateway-arguments-changed", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		o, i := c.Pair.Outer, c.Pair.Inner
		if o.Method != mcp.ToolsCall || len(o.Args) >= diagnose.MaxPassage || len(i.Args) >= diagnose.MaxPassage {
			return
		}
		eachChange(o.Args, i.Args, func(what, key string) {
			c.Found("", what+o.Target+key, fill{"what": what, "argument": key, "tool": o.Target})
		})
	}},
	{ID: "gateway-capabilities-changed", On: diagnose.Flows, Check: func(c *diagnose.Case) {
		outer, inner := c.Flow.Handshake(c.Flow.Outer), c.Flow.Handshake(c.Flow.Inner)
		if outer == nil || inner == nil {
			return
		}
		c.At(outer)
		passed := wire.Get(outer.Result, "capabilities")
		eachChange(wire.Get(inner.Result, "capabilities"), passed, func(what, key string) {
			if what == "drops" && key != "experimental" && key != "extensions" {
				c.Found("", key, fill{"capability": key, "inner": inner.ResponseN, "outer": outer.ResponseN}, outer.ResponseN)
			}
		})
	}},
	{ID: "gateway-meta-changed", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		eachChange(c.Pair.Outer.Meta, c.Pair.Inner.Meta, func(what, key string) {
			traced := key == mcp.MetaTraceParent || key == mcp.MetaTraceState || key == mcp.MetaBaggage
			if what != "drops" && !traced && key != mcp.MetaProgressToken && !strings.HasPrefix(key, mcp.MetaPrefix) {
				c.Found("", what+key, fill{"what": what, "key": key})
			}
		})
	}},
	{ID: "gateway-meta-dropped", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		o, i := c.Pair.Outer, c.Pair.Inner
		dropped(c, "client", o.Meta, i.Meta)
		if !o.IsError && !i.IsError {
			dropped(c, "server", wire.Get(i.Result, "_meta"), wire.Get(o.Result, "_meta"))
		}
	}},
	{ID: "gateway-order-changed", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		last, o, i := diagnose.State[diagnose.Pair](c), c.Pair.Outer, c.Pair.Inner
		if was := *last; was.Outer != nil && was.Inner.T > i.T && was.Inner.Session == i.Session {
			c.Found("", "", fill{"before": was.Outer.Name(), "first": was.Outer.N, "second": was.Inner.N}, o.N, was.Outer.N)
		}
		*last = *c.Pair
	}},
	{ID: "gateway-result-changed", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		o, i := c.Pair.Outer, c.Pair.Inner
		if o.ResponseN == 0 || i.ResponseN == 0 || o.Method == mcp.Initialize ||
			len(o.Result) >= diagnose.MaxPassage || len(i.Result) >= diagnose.MaxPassage {
			return
		}
		differs := func(yes bool, what string, level diagnose.Severity) {
			if yes {
				c.ReportAs(what, diagnose.Finding{
					Severity: level, Frames: []uint64{o.ResponseN, o.N},
					With: fill{"what": what, "sent": i.ResponseN, "got": o.ResponseN},
				})
			}
		}
		differs(o.IsError && !i.IsError, "the server sent a result, and the client got an error", 0)
		differs(i.IsError && !o.IsError, "the server sent an error, and the client got a result", diagnose.Warning)
		if o.Method != mcp.ToolsCall || o.IsError || i.IsError {
			return
		}
		failed := func(r []byte) bool { return string(wire.Get(r, "isError")) == "true" }
		lacks := func(r []byte) bool { return wire.Get(r, "structuredContent") == nil }
		differs(failed(o.Result) != failed(i.Result), "isError differs", 0)
		differs(!lacks(i.Result) && lacks(o.Result), "structuredContent is missing", 0)
		differs(items(o.Result) != items(i.Result), "content has another number of items", 0)
	}},
	{ID: "gateway-session-shared", On: diagnose.Flows, Check: func(c *diagnose.Case) {
		first := map[int]*diagnose.Passage{} // by inner session, the first pair's outer call
		for _, p := range c.Flow.Pairs {
			if p.Outer.Modern || p.Inner.Modern || p.Outer.Method != mcp.ToolsCall {
				continue
			}
			in, one := p.Inner.Session, first[p.Inner.Session]
			if one == nil {
				first[in] = p.Outer
			} else if one.Session != p.Outer.Session && (one.SessionID == "" || one.SessionID != p.Outer.SessionID) {
				c.At(p.Outer)
				c.Found("", number(in), fill{"first": one.N, "session": in + 1}, p.Outer.N, one.N)
			}
		}
	}},
	{ID: "gateway-slow", On: diagnose.Flows, Check: func(c *diagnose.Case) {
		var added, inner []int64
		for _, p := range c.Flow.Pairs {
			if p.Outer.ResponseT != 0 && p.Inner.ResponseT != 0 {
				took := p.Inner.ResponseT - p.Inner.T
				inner, added = append(inner, took), append(added, p.Outer.ResponseT-p.Outer.T-took)
			}
		}
		if len(added) < 3 {
			return
		}
		slices.Sort(added)
		slices.Sort(inner)
		if a, i := added[len(added)/2], inner[len(inner)/2]; a >= 50e6 && a >= i {
			c.At(c.Flow.Pairs[0].Outer)
			c.Found("", "", fill{"added": a / 1e6, "took": i / 1e6})
		}
	}},
	{ID: "gateway-id-changed", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		o, i := c.Pair.Outer, c.Pair.Inner
		if strings.Trim(o.ID, `"`) != strings.Trim(i.ID, `"`) || o.ID == i.ID {
			return
		}
		c.Found("", "", fill{"was": o.ID, "now": i.ID})
	}},
}

// eachChange calls do with each member that is dropped, changed or added between two objects.
func eachChange(was, now []byte, do func(what, key string)) {
	before, old := diagnose.Members(was)
	after, left := diagnose.Members(now)
	for _, key := range before {
		if left[key] == nil {
			do("drops", key)
		} else if string(left[key]) != string(old[key]) {
			do("changes", key)
		}
	}
	for _, key := range after {
		if old[key] == nil {
			do("adds", key)
		}
	}
}

// dropped reports what a gateway drops from _meta. It is a client too: tokens and the
// envelope of the era it speaks are not the other client's affair.
func dropped(c *diagnose.Case, who string, was, now []byte) {
	var lost []string
	eachChange(was, now, func(what, key string) {
		envelope := strings.HasPrefix(key, mcp.MetaPrefix) && c.Pair.Outer.Modern != c.Pair.Inner.Modern
		if what == "drops" && key != mcp.MetaProgressToken && !envelope {
			lost = append(lost, quote(key))
		}
	})
	if lost != nil {
		c.Found(who, who, fill{"lost": strings.Join(lost, " and ")})
	}
}

func items(result []byte) (n int) {
	wire.Items(wire.Get(result, "content"), func(int, []byte) bool { n++; return true })
	return n
}
