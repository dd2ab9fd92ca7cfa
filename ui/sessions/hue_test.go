package sessions

import (
	"testing"

	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/view"
)

// screen is a host with recordings.
type screen struct {
	view.Host
	recs []*library.Recording
}

func (s screen) Scene() *library.Scene { return &library.Scene{All: s.recs} }

// TestHueIsKept: sessions of recordings that stand side by side have different
// hues, and each has the same when it is opened, also when others come later.
func TestHueIsKept(t *testing.T) {
	a, b := calls(1), library.New(wire.Recording{ID: "b", Tap: "stdio", Live: true}, nil)
	h := screen{recs: []*library.Recording{a, b}}
	v := New(&h)
	v.Refresh(&h)
	first, second := v.known[a].rows[0].rec.FirstHue, v.known[b].rows[0].rec.FirstHue
	if first == second {
		t.Errorf("two sessions have hue %d", first)
	}
	h.recs = append(h.recs, library.New(wire.Recording{ID: "c", Tap: "stdio"}, nil))
	v.Refresh(&h)
	if a.FirstHue != first || b.FirstHue != second {
		t.Errorf("hues %d, %d became %d, %d", first, second, a.FirstHue, b.FirstHue)
	}
}
