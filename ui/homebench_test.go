package ui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/library/summary"
)

// library500 is 500 recordings of 20 sessions each.
func library500() (*Model, map[string]*summary.Recording) {
	m := New(newFakeSource(), Options{Now: fixedNow, rules: testRules(), Library: true})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	var b Batch
	b.Summaries = map[string]*summary.Recording{}
	for i := range 500 {
		id := fmt.Sprint("r", i)
		b.Recordings = append(b.Recordings, Recording{ID: id, Label: "demo", Tap: "http", Where: "x", Started: started().Add(-time.Duration(i) * time.Hour)})
		sum := &summary.Recording{Total: 20}
		for k := range 20 {
			one := aSession(fmt.Sprint("agent-", k%7), 10+k, i%3)
			one.Index, one.Frame, one.Started = k, uint32(3+k), int64(k)*1e9
			sum.Sessions = append(sum.Sessions, one)
		}
		b.Summaries[id] = sum
	}
	m.Update(batchMsg{Batch: Batch{Recordings: b.Recordings}})
	return m, b.Summaries
}

func BenchmarkHomeRedraw(b *testing.B) {
	m, sums := library500()
	m.Update(batchMsg{Batch: Batch{Summaries: sums}})
	keys := []tea.KeyPressMsg{keyPress("j"), keyPress("k")}
	for i := 0; b.Loop(); i++ {
		m.Update(keys[i%2])
		m.View()
	}
}

// BenchmarkHomeSummaries takes in the summary of one of 500 recordings.
func BenchmarkHomeSummaries(b *testing.B) {
	m, sums := library500()
	m.Update(batchMsg{Batch: Batch{Summaries: sums}})
	for b.Loop() {
		again := *sums["r7"]
		m.Update(batchMsg{Batch: Batch{Summaries: map[string]*summary.Recording{"r7": &again}}})
		m.View()
	}
}
