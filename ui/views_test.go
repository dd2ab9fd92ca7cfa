package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

func busySource() *fakeSource {
	return having(Recording{ID: "notes", Label: "notes", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000", Live: true}, scenes.Busy())
}

func TestViewScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"waterfall": "w", "waterfall-busy": "w", "waterfall-zoom": "w k k k k + + +", "waterfall-latency": "w o g",
		"waterfall-crowd": "w g g J J J enter", "sequence-crowd": "s",
		"sequence": "s", "sequence-busy": "s", "sequence-busy-all": "s z g",
	} {
		show := func(t *testing.T, opts Options, w, h int) *driver {
			s := lively()
			if strings.Contains(name, "busy") {
				s = busySource()
			}
			if strings.Contains(name, "crowd") {
				s = crowd()
			}
			d := drive(t, s, opts, w, h)
			d.press(strings.Fields(keys)...)
			return d
		}
		screens(t, "view-"+name, func(t *testing.T, w, h int) *driver { return show(t, Options{}, w, h) })
		if strings.Contains(strings.TrimSuffix(name, "-busy"), "-") {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			for look, opts := range map[string]Options{"light": {Theme: "light"}, "nocolor": {NoColor: true}} {
				golden(t, "view-"+name+"-"+look+"-120x36", show(t, opts, 120, 36).colours())
			}
			golden(t, "view-"+name+"-ascii-120x36", show(t, Options{ASCII: true, NoColor: true}, 120, 36).screen())
		})
	}
}

// TestAsciiViewsAreASCII holds for what the interface itself draws.
func TestAsciiViewsAreASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, busySource(), Options{ASCII: true}, 120, 36)
		for k := range strings.FieldsSeq("w + + . o o esc s z") {
			d.press(k)
			for i, r := range d.screen() {
				if r > 0x7e && r != 'µ' && r != '→' {
					t.Fatalf("after %s: %q at %d of\n%s", k, r, i, d.screen())
				}
			}
		}
	})
}

func TestHostileTimelines(t *testing.T) {
	for _, size := range [][2]int{{160, 40}, {110, 24}, {60, 15}, {40, 8}} {
		for tap, frames := range map[string][]wire.Frame{"stdio": hostile(), "http": hostileHTTP()} {
			synctest.Test(t, func(t *testing.T) {
				s := having(Recording{ID: "a", Label: poison, Tap: tap, Where: poison, Live: true, Trouble: poison}, frames)
				d := drive(t, s, Options{rules: poisoned(), Title: poison}, size[0], size[1])
				for k := range strings.FieldsSeq("w g j j j j j j j j o g j j j j j o g j j + + - . 0 T y esc s g j j j j j j j j j z g j j j j T y esc") {
					d.press(k)
					clean(t, "after "+k, d.m.View().Content)
				}
			})
		}
	}
}
