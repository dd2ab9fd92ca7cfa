package rules

import (
	"strings"
	"testing"
	"time"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/notes"
)

// TestAskedAgain: what asking again came to is evidence: two lines more, no other verdict, no line
// less. A side is named only where it is known, and what is told later replaces it.
func TestAskedAgain(t *testing.T) {
	s, err := transcript.Parse(began + called + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"unexpected"}}
` + over)
	if err != nil {
		t.Fatal(err)
	}
	tr, c := finished(s)
	row := tr.Rows() - 1
	for tr.Row(row).Kind != session.RowCall {
		row--
	}
	lines := func() (all []string) {
		for _, l := range c.Evidence(tr.Sessions()[0]) {
			all = append(all, l.Label+": "+l.Text())
		}
		return all
	}
	tell := func(a notes.Asked) []string {
		n, changes := notes.New(), notes.Changes{}
		changes.SetAsked(tr.Row(row), a)
		n.Apply(changes)
		Tell(c, n)
		return lines()
	}
	verdict := func() diagnose.Verdict { return c.Verdict(tr.Sessions()[0], c.Findings()) }
	before, was := verdict(), strings.Join(lines(), "\n")
	at := time.Date(2026, 11, 28, 14, 5, 0, 0, time.Local)
	now := strings.Join(tell(notes.Asked{Says: "It fails without n (3 of 3).", Side: "server", Known: true, Tries: 6, At: at}), "\n")
	added, kept := strings.CutPrefix(now, was)
	for _, want := range []string{"asked: again #", "2026-11-28 14:05, 6 tries: It fails without n (3 of 3). Side: the server.", "next: In "} {
		if !kept || !strings.Contains(added, want) {
			t.Errorf("%q is not in %q; all before it: %v", want, added, kept)
		}
	}
	if v := verdict(); v != before {
		t.Errorf("the verdict was %v, is %v", before, v)
	}
	now = strings.Join(tell(notes.Asked{Says: "Refused.", Side: "server"}), "\n")
	if added := strings.TrimPrefix(now, was); !strings.Contains(added, "Refused. No side follows.") || strings.Contains(added, "next:") {
		t.Errorf("%q", added)
	}
	b := evidence.Fit(c.Evidence(tr.Sessions()[0]), 2, func(evidence.Line) int { return 1 })
	if len(b.Lines) != 2 || b.Lines[1].Label != evidence.Asked {
		t.Errorf("what was asked has no room: %+v", b.Lines)
	}
}
