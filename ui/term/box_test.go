package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func screenFor(boxed, ascii bool) *Screen {
	th, g := Coloured(true), Unicode()
	if ascii {
		g = ASCII()
	}
	return &Screen{Theme: &th, Glyphs: &g, Boxed: boxed}
}

// A panel has the size that was asked for, whatever is put into it, and shows its
// name as long as there is room for it.
func TestPanelFits(t *testing.T) {
	for _, boxed := range []bool{true, false} {
		for w := 4; w < 60; w++ {
			sc := screenFor(boxed, w%2 == 0)
			p := Panel{
				Name: []Seg{S(Bold, "Messages")}, State: []Seg{S(Plain, "179 exchanges")},
				Foot: []Seg{S(Plain, "params.arguments.path")}, Focus: true,
			}
			iw, _ := p.Inner(sc, w, 6)
			body := []string{strings.Repeat("x", iw), strings.Repeat("y", iw)}
			out := p.Draw(sc, w, 6, body)
			if len(out) != 6 {
				t.Fatalf("%d lines of 6", len(out))
			}
			for _, s := range out {
				if n := ansi.StringWidth(s); n != w {
					t.Fatalf("boxed %v: a line of %d cells for %d: %q", boxed, n, w, ansi.Strip(s))
				}
			}
			if w >= 20 && !strings.Contains(ansi.Strip(out[0]), "Messages") {
				t.Fatalf("no name at %d cells: %q", w, ansi.Strip(out[0]))
			}
		}
	}
}

func TestSpark(t *testing.T) {
	sc := screenFor(true, false)
	slots := []Slot{{N: 0}, {N: 1}, {N: 4}, {N: 8, Failed: true}, {N: 1}}
	var got strings.Builder
	var red strings.Builder
	for _, s := range Spark(sc, sc.Theme.Hue(0), slots) {
		got.WriteString(string(s.Text))
		if s.Style == sc.Theme.Err {
			red.WriteString(string(s.Text))
		}
	}
	if got.String() != "▁▁▃▅▁" || red.String() != "▅" {
		t.Errorf("%q with %q in red", got.String(), red.String())
	}
	if f := Fold(slots, 2); len(f) != 2 || f[0].N+f[1].N != 14 || !f[1].Failed || f[0].Failed {
		t.Errorf("folded to %v", f)
	}
}

// A session has a colour whatever its number, none of them that of errors.
func TestHues(t *testing.T) {
	th := Coloured(true)
	seen := map[Style]bool{}
	for i := range 2 * hueCount {
		st := th.Hue(i)
		if st == Plain || st == th.Err || st != th.Hue(i+hueCount) {
			t.Errorf("session %d has %q", i, st)
		}
		seen[st] = true
	}
	if len(seen) != hueCount {
		t.Errorf("%d hues for %d", len(seen), hueCount)
	}
}

// What lies over a line leaves its width, wherever a character of several cells is cut.
func TestOverCutsCharacters(t *testing.T) {
	defer CountGraphemes(false)
	for _, on := range []bool{false, true} {
		CountGraphemes(on)
		line := "a日本কো👩\u200d👩\u200d👧\u200d👦é\u0301🇩🇪b"
		w := Counting().StringWidth(line)
		for x := range w {
			for n := range w - x + 1 {
				over := Over([]string{line}, []string{strings.Repeat("#", n)}, x, 0)[0]
				if got := Counting().StringWidth(over); got != w || strings.Count(over, "#") != n {
					t.Errorf("%d over %d of %d cells, graphemes %v: %d: %q", n, x, w, on, got, over)
				}
			}
		}
	}
}
