package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var cursorLoop = &diagnose.Rule{
	ID: "cursor-loop", On: diagnose.Results, Methods: lists,
	Check: func(c *diagnose.Case) {
		next := c.Result("nextCursor")
		if c.Call == nil || c.Dir != wire.ToClient || c.Session == nil || len(next) < 2 || next[0] != '"' {
			return
		}
		cursor := wire.Get(c.Call.Params, "cursor")
		page := hashOf(listItems(c), next)
		in, walk := c.Session.Index, diagnose.State[walks](c).of(c.Call.Method)
		if len(cursor) == 0 || string(cursor) == "null" {
			*walk++
			c.Progress(in, hashOf(c.Call.Method))
			c.Again(in, hashOf(c.Call.Method), page)
			return
		}
		what := "The page of " + quote(c.Call.Method) + " for the cursor " + raw(cursor) + " (" + frame(c.N) + ")"
		if s := c.Again(in, hashOf(c.Call.Method), page); s.Count >= 2 && string(cursor) == string(next) {
			c.ReportAs(c.Call.Method, diagnose.Finding{
				Message: what + " is the same as the page before it, with the same nextCursor " + raw(next) + ". A client that follows it never comes to the end.",
				Frames:  s.Frames,
			})
			return
		}
		// A client may ask for a page once more, as when a response was lost.
		if s := c.Again(in, hashOf(c.Call.Method, string(cursor)), hashOf(string(next), number(*walk))); s.Count >= 3 {
			c.ReportAs(c.Call.Method, diagnose.Finding{
				Message:    what + " came " + number(s.Count) + " times in one walk through the list: its cursors go round in a circle.",
				Frames:     s.Frames,
				Confidence: diagnose.Likely,
			})
		}
	},
}

// walks count how often each list was read from its beginning.
type walks [5]int

func (w *walks) of(method string) *int {
	for i, list := range lists {
		if list == method {
			return &w[i]
		}
	}
	return &w[0]
}
