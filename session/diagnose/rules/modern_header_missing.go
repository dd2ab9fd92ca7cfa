package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var modernHeaderMissing = &diagnose.Rule{
	ID:       "modern-header-missing",
	Title:    "A request of 2026-07-28 lacks a header that repeats its body",
	Brief:    "Mcp header missing",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	On:       diagnose.ModernRequests,
	Check: func(c *diagnose.Case) {
		if !modernPost(c) || !c.Exchange.Contradicts {
			return
		}
		var missing []string
		mirrors(c.Call, func(w wanted) {
			if c.Exchange.Header(w.name) == "" {
				missing = append(missing, w.name)
			}
		})
		if missing == nil {
			return
		}
		list := strings.Join(missing, " and ")
		c.Say(list+c.Call.Method, "The POST of "+quote(c.Call.Method)+" ("+frame(c.N)+") says in its body that it is of "+string(c.Call.Version)+", and lacks the header "+list+".")
	},
}
