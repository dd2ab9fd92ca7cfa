package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var listedUnknown = &diagnose.Rule{
	ID:      "listed-unknown",
	On:      diagnose.FailedCalls,
	Methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || c.Session == nil {
			return
		}
		k := kindOf(c.Call.Method)
		l, why, name := listOf(c, k), failure(c), c.Call.Target
		if l == nil || why == "" || l.names[name] == 0 || !sdkwords.SaysUnknownName(why, name) && !k.errs(c) ||
			c.Message.Kind == wire.MsgResult && !sdkwords.SaysUnknown(why) {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " listed the " + k.word + " " + quote(name) + " (" + frame(l.names[name]) +
				") and does not know it when asked (" + frame(c.Call.N) + "): " + quote(why) + ".",
			Frames: []uint64{c.Call.N, c.N, l.names[name]},
		}
		if k.list == mcp.ResourcesList {
			f.Severity = diagnose.Warning // resources come and go
		}
		if l.cached != "" && l.names[name] == l.page {
			f.Side = diagnose.Gateway
			f.Message += " The list came out of a cache (" + l.cached + ")."
			advise(&f, "list from a cache")
		} else if l.changed != 0 {
			f.Message += " It had said that the list changed (" + frame(l.changed) + "), and nobody asked for the list again."
			advise(&f, "old list still used")
			f.Frames = append(f.Frames, l.changed)
		}
		c.ReportAs(k.word+" "+name, f)
	},
}
