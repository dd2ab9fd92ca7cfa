package rules

import (
	"slices"

	"midwire/session/diagnose"
)

var gatewaySlow = rule("gateway-slow", diagnose.Flows, func(c *diagnose.Case) {
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
})
