package findings

import (
	"strings"
	"testing"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

// TestCard: the card of a finding has at most five rows, whatever rule it is of and however
// narrow it is: who must act, what happened, and what to do, of each side that can.
func TestCard(t *testing.T) {
	rec := library.New(wire.Recording{ID: "r"}, nil)
	th, sg := term.Coloured(true), term.Unicode()
	sc := &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}, Rec: rec}
	long := strings.Repeat("The client left out what the server asked for (#7). ", 9)
	for _, r := range rules.All() {
		for _, message := range []string{"", r.Title + ".", long} {
			f := &diagnose.Finding{
				Rule: r, Session: -1, Severity: r.Severity, Side: r.Side,
				Message: message, Remedies: r.Help().Remedies,
			}
			for _, w := range []int{24, 54, 82, 118} {
				text := newText(sc, w)
				happened, does := writeCard(&text, library.Located{Rec: rec, Finding: f})
				if n := len(text.Lines); n > 5 || n < 2 {
					t.Fatalf("%s, %d cells: %d rows", r.ID, w, n)
				}
				if message == long && happened {
					t.Fatalf("%s: nine sentences in two rows", r.ID)
				}
				card := strings.Join(text.All(&sc.Screen, w, 1), "\n")
				for l := range strings.SplitSeq(card, "\n") {
					if fault := scenes.Fault(l, w); fault != "" {
						t.Fatalf("%s, %d cells: %s", r.ID, w, fault)
					}
				}
				cut := strings.Count(card, "…") - strings.Count(strings.Join(f.Fixes(), " "), "…")
				if does && cut > 0 {
					t.Fatalf("%s, %d cells: all of it %v\n%s", r.ID, w, does, card)
				}
			}
		}
	}
}
