package search

import (
	"context"
	"strings"
	"testing"

	"midwire/session/wire"
	"midwire/session/words/wordstest"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

// TestRows: whatever stands around a hit, a row has its width, and the hit is seen.
func TestRows(t *testing.T) {
	th, sg := term.Coloured(true), term.Unicode()
	rec := library.New(wire.Recording{ID: "r", Label: "shop"}, nil)
	v := New(context.Background(), nil, "x", []*library.Recording{rec})
	for _, text := range wordstest.Texts() {
		v.hits = append(v.hits, Hit{N: 7, Name: text, Before: strings.Repeat(text, 9), Text: "x", After: text, rec: "r"})
	}
	for _, w := range []int{40, 60, 80, 120, 200} {
		sc := &library.Scene{All: []*library.Recording{rec}, Screen: term.Screen{Theme: &th, Glyphs: &sg, Width: w, Height: 60, Boxed: w > 99}}
		for i, l := range v.Draw(nil, sc, w, len(v.hits)+4) {
			if fault := scenes.Fault(l, w); fault != "" {
				t.Fatalf("line %d of %d cells: %s", i, w, fault)
			}
			if n := i - 2; n >= 0 && n < len(v.hits) && w >= 60 && !strings.Contains(l, "x") {
				t.Errorf("%d cells: the hit is not on line %q", w, l)
			}
		}
	}
}
