package library

import "testing"

// What is slow is above nearly all latencies, by no more than a class is wide.
func TestSlow(t *testing.T) {
	r := &Recording{}
	if r.Slow(0) != 0 || r.Slow(-1) != 0 {
		t.Error("nothing was answered yet")
	}
	for i := range int64(1000) {
		r.heat.add(1, (i+1)*1e6)
	}
	r.heat.add(-1, 5)
	if got := r.Slow(1); got < 950e6 || got > 950e6*5/4 {
		t.Errorf("%d ns is slow where 95 of 100 take less than 950 ms", got)
	}
	if r.Slow(0) != 0 {
		t.Error("another session has it too")
	}
	for took := int64(1); took < 1<<50; took = took*9/8 + 1 {
		one := &Recording{}
		one.heat.add(0, took)
		if got := one.Slow(0); got < took || got > took*5/4+4 {
			t.Fatalf("the only latency %d is no more than %d", took, got)
		}
	}
}
