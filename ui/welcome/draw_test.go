package welcome

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/ui/internal/scenes"
	"midwire/ui/term"
)

// TestDraw: at every size the lines have their width, wrapping is named first, and the chosen
// card says which keys there are.
func TestDraw(t *testing.T) {
	th, sg := term.Coloured(true), term.Unicode()
	s := New(nil, "/home/me/recordings", "")
	s.Plays = []Play{{"", "the demo, 4 clients"}, {"not-initialized", strings.Repeat("Bad Request: Server not initialized ", 4)}}
	for _, size := range [][2]int{{40, 10}, {60, 15}, {80, 24}, {120, 36}, {200, 50}} {
		w, h := size[0], size[1]-2
		for card := range cards {
			s.Choose(card)
			out := s.Draw(&term.Screen{Theme: &th, Glyphs: &sg, Width: w, Height: h, Boxed: w >= 100}, w, h)
			if len(out) != h {
				t.Fatalf("%d lines of %d", len(out), h)
			}
			for i, l := range out {
				if fault := scenes.Fault(l, w); fault != "" {
					t.Fatalf("%dx%d, card %d, line %d: %s", w, h, card, i, fault)
				}
			}
			text := ansi.Strip(strings.Join(out, "\n"))
			if wrap := strings.Index(text, "midwire wrap"); h >= 18 && (wrap < 0 || wrap > strings.Index(text, "Play the demo")) {
				t.Errorf("%dx%d: wrapping is not named first:\n%s", w, h, text)
			}
			if h >= 18 && !strings.Contains(text, [cards]string{"enter play", "y copy", "enter start here"}[card]) {
				t.Errorf("%dx%d: card %d has no keys:\n%s", w, h, card, text)
			}
		}
	}
}
