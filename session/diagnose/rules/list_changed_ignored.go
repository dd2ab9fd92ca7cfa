package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/words"
)

var listChangedIgnored = rule("list-changed-ignored", diagnose.Finish, func(c *diagnose.Case) {
	if c.Blind() {
		return
	}
	for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
		if d.Kind != ledger.List || d.Times == 0 {
			continue
		}
		went, read := c.Tracker().Row(int(d.Went[0])), c.Tracker().Row(int(d.Row))
		c.Say(d.Method, "The server said "+words.CountOf(d.Questions, "time", "times")+" that the list of "+quote(d.Method)+" has changed ("+frame(d.N)+"). "+c.Client()+
			" went on ("+frame(went.Request)+") and never listed it again: it knows the list of "+frame(read.Request)+" only, and what is new cannot be used.",
			d.N, uint64(went.Request), uint64(read.Request))
	}
})
