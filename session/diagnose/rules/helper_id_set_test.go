package rules

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestIDSet compares the set with a map, for ids that come in any order.
func TestIDSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var set idSet
	known := map[string]bool{}
	for range 5000 {
		id := strconv.Itoa(random.IntN(2000) - 1000)
		if random.IntN(4) == 0 {
			id = `"` + id + `"`
		}
		if set.has(id) != known[id] {
			t.Fatalf("%s: %v, want %v", id, set.has(id), known[id])
		}
		set.add(id)
		known[id] = true
	}
	for i, s := range set.spans {
		if s.from > s.to || i > 0 && set.spans[i-1].to+1 >= s.from {
			t.Fatalf("spans %v and %v are not apart and in order", set.spans[max(0, i-1)], s)
		}
	}
}

// TestIDSetIsBounded holds that a set that is full says no rather than yes.
func TestIDSetIsBounded(t *testing.T) {
	var set idSet
	for i := range 2 * maxSpans {
		set.add(strconv.Itoa(2 * i))
	}
	for i := range 2 * maxTexts {
		set.add(`"` + strconv.Itoa(i) + `"`)
	}
	if len(set.spans) > maxSpans || len(set.texts) > maxTexts {
		t.Errorf("%d spans, %d texts", len(set.spans), len(set.texts))
	}
	if set.has(strconv.Itoa(4*maxSpans - 2)) {
		t.Error("an id that was not kept is known")
	}
}
