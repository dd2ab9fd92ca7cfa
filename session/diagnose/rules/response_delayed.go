package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseDelayed = rule("response-delayed", diagnose.Results|diagnose.Finish, func(c *diagnose.Case) {
	d := diagnose.State[delays](c)
	if c.N == 0 {
		d.report(c)
		return
	}
	if c.Call == nil || c.Dir != wire.ToClient {
		return
	}
	took := c.T - c.Call.T
	if d.count == 0 {
		d.least, d.most = took, took
	}
	d.least, d.most = min(d.least, took), max(d.most, took)
	if d.count++; len(d.frames) < diagnose.MaxFrames {
		d.frames = append(d.frames, c.N, c.Call.N)
	}
	if c.Exchange != nil && between(c.Exchange) != "" {
		d.gateway = true
	}
	d.methods.add(c.Call.Method)
})

// delays are how long the responses of a session took.
type delays struct {
	count       int
	least, most int64
	frames      []uint64
	methods     served
	gateway     bool
}

func (d *delays) report(c *diagnose.Case) {
	if d.count < 3 || len(d.methods.paths) < 2 || d.least < 2e9 || d.most-d.least > d.least/20 {
		return
	}
	f := diagnose.Finding{Frames: d.frames}
	if d.gateway {
		f.Side = diagnose.Gateway
	}
	f.Message = "All " + number(d.count) + " responses of this session, to " + number(len(d.methods.paths)) + " different methods, took " + seconds(d.least) + " to " + seconds(d.most) + "."
	c.ReportAs("", f)
}
