package detail

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

// TestAccount: the account of a finding keeps to its rows, whatever rule it is of and however narrow it
// is, and where it has rows enough it says what happened and what to do in whole: nothing is cut.
func TestAccount(t *testing.T) {
	rec := library.New(wire.Recording{ID: "r"}, nil)
	th, sg := term.Coloured(true), term.Unicode()
	sc := &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}, Rec: rec}
	long := strings.Repeat("The client left out what the server asked for (#7). ", 9)
	flat := func(s string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(ansi.Strip(s), "┃", " ")), "")
	}
	for _, r := range rules.All() {
		for _, message := range []string{r.Title + ".", long} {
			f := &diagnose.Finding{Rule: r, Session: -1, Severity: r.Severity, Side: r.Side, Message: message, Remedies: r.Help().Remedies}
			a := Found(library.Located{Rec: rec, Finding: f})
			for _, w := range []int{24, 54, 82, 118} {
				for _, rows := range []int{2, 5, 9, Whole} {
					d := document.Doc{Width: w - 2}
					a.Write(&d, sc, rows)
					if n := len(d.Lines); n > rows || n == 0 {
						t.Fatalf("%s, %d cells: %d rows of %d", r.ID, w, n, rows)
					}
					text := strings.Join(d.All(&sc.Screen, w, 1), "\n")
					for l := range strings.SplitSeq(text, "\n") {
						if fault := scenes.Fault(l, w); fault != "" {
							t.Fatalf("%s, %d cells: %s", r.ID, w, fault)
						}
					}
					for _, want := range append([]string{message}, f.Fixes()...) {
						if rows == Whole && w > 24 && a.Verdict.NamesCause() && !strings.Contains(flat(text), flat(want)) {
							t.Fatalf("%s, %d cells: %q is not whole in\n%s", r.ID, w, want, text)
						}
					}
				}
			}
		}
	}
}
