package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/words"
)

var listPagesUnread = rule("list-pages-unread", diagnose.Requests|diagnose.Finish, func(c *diagnose.Case) {
	lists := listsOf(c)
	if len(lists) == 0 {
		return
	}
	used := diagnose.State[map[string]int](c) // other requests since the latest page, by kind
	for i := range kinds {
		k := &kinds[i]
		l := lists[k]
		switch {
		case l == nil || l.next == "":
		case c.N != 0:
			if c.Call.Method == k.list {
				if c.Param("cursor") != nil { // else it begins anew, and reads as little
					delete(*used, k.list)
				}
			} else if c.Call.Method != mcp.Ping {
				made(used)[k.list]++
			}
		case (*used)[k.list] >= 2 && !l.full: // it went on to something else
			c.Say(k.word, c.Client()+" read "+words.Count(len(l.names), k.word)+" of the list; the page "+frame(l.page)+" has a nextCursor, and it never asked for the next page.", l.page)
		}
	}
})
