package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var callLoop = &diagnose.Rule{
	ID:      "call-loop",
	On:      diagnose.Results | diagnose.Errors,
	Methods: []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet, mcp.Complete},
	Check: func(c *diagnose.Case) {
		s := diagnose.State[repeated](c)
		failing := &s.failing
		failed := c.Message.Kind == wire.MsgError || string(c.Result("isError")) == "true"
		if c.Call == nil || c.Session == nil || c.Dir != wire.ToClient {
			return
		}
		if s.same(c, failed); !failed && *failing == 0 {
			return
		}
		in, what := c.Session.Index, c.Call.Same()
		if !failed {
			c.Progress(in, what)
			return
		}
		*failing++
		how := c.Message.Error
		if c.Message.Kind == wire.MsgResult {
			how = c.Result("content")
		}
		if s := c.Again(in, what, hashOf(how)); s.Count >= 5 {
			c.ReportAs(number(what>>1), diagnose.Finding{
				Message: c.Client() + " sent " + about(c.Call) + " with the same parameters " + often(s) + ", and it failed the same way each time (" + frame(c.N) + ").",
				Frames:  append([]uint64{c.N, c.Call.N}, s.Frames...),
			})
		}
	},
}

// repeated are the latest calls of a session.
type repeated struct {
	failing int    // how many have failed and not succeeded since
	last    uint64 // the latest call and its result, by hash
	count   int    // how often they came in a row
	first   uint64
	since   int64
	ended   int64    // when the latest one had its result
	gaps    [2]int64 // the shortest and the longest time until the next one
}

// thinks says whether a model may be what repeats the calls: it takes a moment for
// each, never the same. A script or something that polls keeps its pace.
func (r *repeated) thinks() bool { return r.gaps[0] >= 100e6 && r.gaps[1] >= r.gaps[0]*3/2 }

// oftenSame is how often a call is made in a row before somebody asks why.
const oftenSame = 10

// same counts calls that succeed in the same way in a row, and nothing between them.
func (r *repeated) same(c *diagnose.Case, failed bool) {
	what := hashOf(c.Message.Result) ^ c.Call.Same()
	if failed || what != r.last || diagnose.AsksForState(c.Call.Target) {
		*r = repeated{failing: r.failing, last: what, count: 1, first: c.Call.N, since: c.T, ended: c.T}
		return
	}
	gap := c.Call.T - r.ended
	if r.count++; r.count == 2 {
		r.gaps = [2]int64{gap, gap}
	}
	r.gaps, r.ended = [2]int64{min(r.gaps[0], gap), max(r.gaps[1], gap)}, c.T
	if r.count < oftenSame || !r.thinks() || c.T-r.since > int64(r.count)*10e9 {
		return
	}
	c.ReportAs("same", withAdvice("result does not reach the model", diagnose.Finding{
		Seen: true,
		Message: c.Client() + " made the same call " + number(r.count) + " times in a row, " + about(c.Call) + ", and got the same result each time (" + frame(c.N) +
			"). It asked for nothing else since " + frame(r.first) + ".",
		Frames: []uint64{c.N, c.Call.N, r.first},
	}))
}
