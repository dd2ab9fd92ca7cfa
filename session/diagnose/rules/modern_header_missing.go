package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var modernHeaderMissing = rule("modern-header-missing", diagnose.ModernRequests, func(c *diagnose.Case) {
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
})
