package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// gatewayConformance are what a gateway changes, by the recordings of both its sides.
var gatewayConformance = []formal{
	{
		id: "gateway-arguments-changed", on: diagnose.Pairs,
		check: func(c *diagnose.Case) {
			o, i := c.Pair.Outer, c.Pair.Inner
			if o.Method != mcp.ToolsCall || len(o.Args) >= diagnose.MaxPassage || len(i.Args) >= diagnose.MaxPassage {
				return
			}
			before, was := diagnose.Members(o.Args)
			after, now := diagnose.Members(i.Args)
			for _, key := range before {
				if now[key] == nil {
					changedArgument(c, "drops", key)
				} else if string(now[key]) != string(was[key]) {
					changedArgument(c, "changes", key)
				}
			}
			for _, key := range after {
				if was[key] == nil {
					changedArgument(c, "adds", key)
				}
			}
		},
	},
	{
		id: "gateway-capabilities-changed", on: diagnose.Flows,
		check: func(c *diagnose.Case) {
			outer, inner := c.Flow.Handshake(c.Flow.Outer), c.Flow.Handshake(c.Flow.Inner)
			if outer == nil || inner == nil {
				return
			}
			declared, _ := diagnose.Members(wire.Get(inner.Result, "capabilities"))
			_, passed := diagnose.Members(wire.Get(outer.Result, "capabilities"))
			for _, key := range declared {
				if passed[key] == nil && key != "experimental" && key != "extensions" {
					c.At(outer)
					c.Say(key, c.Server()+" declares "+quote(key)+" ("+frame(inner.ResponseN)+" of "+c.Flow.Inner.Name+"), and the gateway does not ("+
						frame(outer.ResponseN)+" of "+c.Flow.Outer.Name+").",
						outer.ResponseN)
				}
			}
		},
	},
	{
		id: "gateway-meta-changed", on: diagnose.Pairs,
		check: func(c *diagnose.Case) {
			o, i := c.Pair.Outer, c.Pair.Inner
			_, was := diagnose.Members(o.Meta)
			keys, now := diagnose.Members(i.Meta)
			for _, key := range keys {
				if strings.HasPrefix(key, mcp.MetaPrefix) || key == mcp.MetaProgressToken ||
					key == mcp.MetaTraceParent || key == mcp.MetaTraceState || key == mcp.MetaBaggage ||
					string(was[key]) == string(now[key]) {
					continue
				}
				what := "adds " + quote(key)
				if was[key] != nil {
					what = "changes " + quote(key)
				}
				c.Say(what, "The gateway "+what+" in _meta of "+callName(o)+": "+pairFrames(c)+".", o.N)
			}
		},
	},
	{
		id: "gateway-meta-dropped", on: diagnose.Pairs,
		check: func(c *diagnose.Case) {
			o, i := c.Pair.Outer, c.Pair.Inner
			dropped(c, "the client sent", o.Meta, i.Meta)
			if !o.IsError && !i.IsError {
				dropped(c, "the server responded", wire.Get(i.Result, "_meta"), wire.Get(o.Result, "_meta"))
			}
		},
	},
	{
		id: "gateway-order-changed", on: diagnose.Pairs,
		check: func(c *diagnose.Case) {
			last := diagnose.State[diagnose.Pair](c)
			if last.Outer != nil && last.Inner.T > c.Pair.Inner.T && last.Inner.Session == c.Pair.Inner.Session {
				c.Say("", c.Client()+" sent "+callName(last.Outer)+" ("+frame(last.Outer.N)+") before "+callName(c.Pair.Outer)+" ("+
					frame(c.Pair.Outer.N)+"); the server got them in the opposite order ("+frame(last.Inner.N)+", "+frame(c.Pair.Inner.N)+" of "+c.Flow.Inner.Name+").",
					c.Pair.Outer.N, last.Outer.N)
			}
			*last = *c.Pair
		},
	},
	{
		id: "gateway-result-changed", on: diagnose.Pairs,
		check: func(c *diagnose.Case) {
			o, i := c.Pair.Outer, c.Pair.Inner
			if o.ResponseN == 0 || i.ResponseN == 0 || o.Method == mcp.Initialize ||
				len(o.Result) >= diagnose.MaxPassage || len(i.Result) >= diagnose.MaxPassage {
				return
			}
			report := func(what string, level diagnose.Severity) {
				c.ReportAs(what, diagnose.Finding{
					Severity: level,
					Message: "The response to " + callName(o) + " differs from what the server sent: " + what + " (" + frame(i.ResponseN) + " of " + c.Flow.Inner.Name + ", " +
						frame(o.ResponseN) + " of " + c.Flow.Outer.Name + ").",
					Frames: []uint64{o.ResponseN, o.N},
				})
			}
			switch {
			case o.IsError && !i.IsError:
				report("the server sent a result, and the client got an error", 0)
				return
			case i.IsError && !o.IsError:
				report("the server sent an error, and the client got a result", diagnose.Warning)
				return
			}
			if o.Method != mcp.ToolsCall || o.IsError {
				return
			}
			failed := func(r []byte) bool { return string(wire.Get(r, "isError")) == "true" }
			if failed(o.Result) != failed(i.Result) {
				report("isError differs", 0)
			}
			if wire.Get(i.Result, "structuredContent") != nil && wire.Get(o.Result, "structuredContent") == nil {
				report("structuredContent is missing", 0)
			}
			if items(o.Result) != items(i.Result) {
				report("content has another number of items", 0)
			}
		},
	},
	{
		id: "gateway-session-shared", on: diagnose.Flows,
		check: func(c *diagnose.Case) {
			first := map[int]*diagnose.Passage{} // by inner session, the first pair's outer call
			for _, p := range c.Flow.Pairs {
				if p.Outer.Modern || p.Inner.Modern || p.Outer.Method != mcp.ToolsCall {
					continue
				}
				one := first[p.Inner.Session]
				if one == nil {
					first[p.Inner.Session] = p.Outer
					continue
				}
				if one.Session == p.Outer.Session || one.SessionID != "" && one.SessionID == p.Outer.SessionID {
					continue
				}
				c.At(p.Outer)
				c.Say(number(p.Inner.Session), "Calls of different sessions ("+frame(one.N)+" and "+frame(p.Outer.N)+" of "+c.Flow.Outer.Name+") reach the server in the same one (session "+
					number(p.Inner.Session+1)+" of "+c.Flow.Inner.Name+").",
					p.Outer.N, one.N)
			}
		},
	},
	{
		id: "gateway-slow", on: diagnose.Flows,
		check: func(c *diagnose.Case) {
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
			a, i := added[len(added)/2], inner[len(inner)/2]
			if a < 50e6 || a < i {
				return
			}
			c.At(c.Flow.Pairs[0].Outer)
			c.Report(diagnose.Finding{
				Message: "The gateway adds " + number(a/1e6) + " ms to a call at the median; the server itself takes " + number(i/1e6) + " ms.",
				Frames:  []uint64{c.Flow.Pairs[0].Outer.N},
			})
		},
	},
}

func changedArgument(c *diagnose.Case, what, key string) {
	c.Say(what+c.Pair.Outer.Target+key, "The gateway "+what+" the argument "+quote(key)+" of "+quote(c.Pair.Outer.Target)+": "+pairFrames(c)+".",
		c.Pair.Outer.N)
}

func dropped(c *diagnose.Case, who string, was, now []byte) {
	keys, _ := diagnose.Members(was)
	_, left := diagnose.Members(now)
	lost := ""
	for _, key := range keys {
		// A gateway is a client of its own: tokens and the envelope of the era
		// it speaks are its own affair.
		if left[key] != nil || key == mcp.MetaProgressToken ||
			strings.HasPrefix(key, mcp.MetaPrefix) && c.Pair.Outer.Modern != c.Pair.Inner.Modern {
			continue
		}
		if lost != "" {
			lost += " and "
		}
		lost += quote(key)
	}
	if lost == "" {
		return
	}
	c.Say(who, "The gateway drops "+lost+" from the _meta that "+who+" with "+callName(c.Pair.Outer)+": "+pairFrames(c)+".",
		c.Pair.Outer.N)
}

// pairFrames says where the two recordings show a call.
func pairFrames(c *diagnose.Case) string {
	return frame(c.Pair.Outer.N) + " of " + c.Flow.Outer.Name + " is " + frame(c.Pair.Inner.N) + " of " + c.Flow.Inner.Name
}

func callName(p *diagnose.Passage) string {
	if p.Target == "" {
		return p.Method
	}
	return p.Method + " " + quote(p.Target)
}

func items(result []byte) (n int) {
	wire.Items(wire.Get(result, "content"), func(int, []byte) bool { n++; return true })
	return n
}
