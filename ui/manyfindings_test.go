package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
)

// manyFindings is a recording with five thousand.
func manyFindings(t testing.TB) *Model {
	var lines strings.Builder
	lines.WriteString("tap stdio\n")
	for i := range 6000 {
		fmt.Fprintf(&lines, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"x/%d\"}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":-32601,\"message\":\"no %d\"}}\n", i, i, i, i)
	}
	m := New(newFakeSource(), Options{Now: fixedNow, rules: testRules()})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(batchMsg{Batch: Batch{Recordings: []Recording{live("p")}}})
	feedAll(m, "p", framesOf(t, lines.String()))
	for m.scanning {
		m.Update(scanMsg{})
	}
	return m
}

// BenchmarkArrange is what a batch costs that brings a finding when there are as
// many as are kept.
func BenchmarkArrange(b *testing.B) {
	m := manyFindings(b)
	for b.Loop() {
		m.review(reviewAll)
	}
}

// TestManyFindings is about cost: five thousand findings and a screen.
func TestManyFindings(t *testing.T) {
	m := manyFindings(t)
	m.Update(keyPress("!"))
	if n := len(m.findings.Entries); n != 1 || !strings.Contains(m.View().Content, "exchange") {
		t.Fatalf("%d rows", n)
	}
	if d := quickest(20, func() {
		m.Update(keyPress("l"))
		m.View()
	}); d > 60*time.Millisecond {
		t.Errorf("a key press takes %v", d)
	}
}

// TestWhatFollows: what follows from a cause is folded under it, with a number on its
// row; enter, l unfold it, h folds it.
func TestWhatFollows(t *testing.T) {
	covers := func(all []*diagnose.Rule) []*diagnose.Rule {
		all[0].Covers = []string{"stdout-noise*", "unknown-method*"}
		return all
	}
	folded := func(t *testing.T, w, h int) *driver {
		s := newFakeSource()
		s.recs["a"] = framesOf(t, brokenStdio)
		d := drive(t, s, Options{rules: covers(testRules())}, w, h)
		s.ch <- Batch{Recordings: []Recording{live("a")}, Frames: tagged("a", framesOf(t, brokenStdio))}
		d.send()
		d.press("!")
		return d
	}
	screens(t, "findings-folded", folded)
	screens(t, "findings-unfolded", func(t *testing.T, w, h int) *driver {
		d := folded(t, w, h)
		d.press("l", "j")
		return d
	})
	synctest.Test(t, func(t *testing.T) {
		d := folded(t, 120, 36)
		d.want("▸ A request came", "3 findings follow from it", "enter what follows")
		d.wantNot("└")
		d.press("enter")
		d.want("▾ A request came", "└ The server wrote something else")
		d.press("j", "j", "h")
		d.want("▸ A request came", "3 findings follow from it")
		d.press("l", "enter")
		d.wantNot("─ Cause ─") // unfolded already: to the message
		d.press("esc")
		d.want("─ Cause ─")
	})
}

// TestFromAConsequence: the findings open at what shows at a message, also where it
// follows from something else.
func TestFromAConsequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := testRules()
		rules[0].Covers = []string{"stdout-noise*", "unknown-method*"}
		s := newFakeSource()
		d := drive(t, s, Options{rules: rules}, 120, 36)
		s.ch <- Batch{Recordings: []Recording{live("a")}, Frames: tagged("a", framesOf(t, brokenStdio))}
		d.send()
		d.press("g", "]", "]", "!")
		d.want("▾ A request came", "stdout-noise ─")
	})
}
