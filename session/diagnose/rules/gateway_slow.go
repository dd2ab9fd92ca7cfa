package rules

import (
	"slices"
	"strconv"

	"midwire/session/diagnose"
)

var gatewaySlow = &diagnose.Rule{
	ID:       "gateway-slow",
	Title:    "Most of the latency comes from the gateway",
	Severity: diagnose.Note,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The gateway adds more time to a call than the server needs for it.",
		Wire:  "The median time from request to response in front of the gateway is more than twice the median behind it, and at least 50 ms longer.",
		Cause: "The gateway opens a new connection or session for each call, calls another service for a check, or buffers responses.",
		Fix:   "In the gateway: keep connections and sessions open, and pass responses on as they arrive.",
		Spec:  "None: a measurement",
		Example: `in front  tools/call 412 ms
behind    tools/call 31 ms`,
	},
	On: diagnose.Flows,
	Check: func(c *diagnose.Case) {
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
			Message: "The gateway adds " + strconv.FormatInt(a/1e6, 10) + " ms to a call at the median; the server itself takes " + strconv.FormatInt(i/1e6, 10) + " ms.",
			Frames:  []uint64{c.Flow.Pairs[0].Outer.N},
		})
	},
}
