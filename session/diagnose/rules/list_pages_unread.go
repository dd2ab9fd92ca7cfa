package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/words"
)

var listPagesUnread = rule("list-pages-unread", diagnose.Finish, func(c *diagnose.Case) {
	for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
		k := kindOf(d.Method)
		if d.Kind != ledger.Page || d.Times < 2 || k == nil { // it may still come back for it
			continue
		}
		if l := listOf(c, k); l != nil && !l.full {
			c.Say(k.word, c.Client()+" read "+words.Count(len(l.names), k.word)+" of the list; the page "+frame(d.N)+" has a nextCursor, and it never asked for the next page.", d.N)
		}
	}
})
