package replaying

import (
	"strings"
	"testing"

	"midwire/replay"
)

// TestAsked: what asking again came to stands whole above its tries, a sign for each of them, and no
// key is offered that needs a call.
func TestAsked(t *testing.T) {
	with(t, plain(), func(h *program) {
		says := "search fails " + strings.Repeat("when a word is left out of it ", 8) + "ends"
		v := newReplayed(h.replays, &replay.Comparison{
			FirstName: "files", SecondName: "node shop.js", Found: true, Problems: []string{says},
			Tries: []replay.Tried{
				{Name: "as recorded, #14", Answer: "no trim\x1b[2J", Times: 1},
				{Name: "with query", Answer: "served", Served: 3, Times: 3},
				{Name: "as 2026-07-28", Answer: "no trim\x1b[2J", Served: 1, Times: 2},
			},
		})
		h.w = 120
		drawn := h.drawn(v)
		contains(t, drawn, "VARIANT", "ends", "with query", "✓  ✓  ✓", "✓  ✗  ", "the same", "no trim")
		contains(t, markdownOfAll(v.result), "`with query`: served 3 of 3")
		for _, c := range v.Commands(h) {
			if c.ID == "view.only" || c.ID == "replay.edit" {
				t.Errorf("%s is offered", c.ID)
			}
		}
		if n := strings.Count(drawn, "\x1b[2J"); n != 0 {
			t.Error("the answer reaches the terminal as it is")
		}
	})
}
