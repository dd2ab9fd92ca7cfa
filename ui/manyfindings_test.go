package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
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
	from := time.Now()
	for range 20 {
		m.Update(keyPress("l"))
		m.View()
	}
	if d := time.Since(from) / 20; d > 60*time.Millisecond {
		t.Errorf("a key press takes %v", d)
	}
}
