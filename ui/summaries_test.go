package ui

import (
	"testing"
	"testing/synctest"

	"midwire/session/library/summary"
)

// TestSummariesArrive: a summary goes to its recording; the last one counts, and
// one of a recording that is not known goes nowhere.
func TestSummariesArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pastOnly()
		d := drive(t, s, Options{}, 120, 36)
		first, second := &summary.Recording{Total: 1}, &summary.Recording{Total: 2}
		s.ch <- Batch{Summaries: map[string]*summary.Recording{"a": first, "b": first, "unknown": first}}
		s.ch <- Batch{Summaries: map[string]*summary.Recording{"b": second}}
		d.send()
		for id, want := range map[string]*summary.Recording{"a": first, "b": second, "c": nil} {
			if got := d.m.rec(id).Summary; got != want {
				t.Errorf("%s: %+v, want %+v", id, got, want)
			}
		}
		if len(d.m.recs) != 4 {
			t.Errorf("%d recordings", len(d.m.recs))
		}
	})
}
