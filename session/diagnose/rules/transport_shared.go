package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var transportShared = &diagnose.Rule{
	ID: "transport-shared", On: diagnose.Refusals | diagnose.Results, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		first := diagnose.Memory[[]uint64](c)
		if c.Exchange == nil || c.Call == nil {
			return
		}
		if c.Refusal == nil {
			if len(*first) == 0 && c.Message.Kind == wire.MsgResult {
				*first = []uint64{c.Call.N, uint64(c.Session.Index)}
			}
			return
		}
		if !c.Refusal.Means(sdkwords.AlreadyInitialized) && !c.Refusal.Says("already connected to a transport") {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " refused initialize (" + frame(c.Call.N) + "): " + said(c.Refusal) + ".",
			Frames:  []uint64{c.Call.N, c.N},
		}
		switch {
		case len(*first) == 0:
			f.Message += " No client initialized it while midwire recorded, so one did before."
		case (*first)[1] == uint64(c.Session.Index):
			return // the same client asked twice
		default:
			f.Message += " Another session was initialized before (" + frame((*first)[0]) + ")."
			f.Frames = append(f.Frames, (*first)[0])
		}
		c.ReportAs("", f)
	},
}
