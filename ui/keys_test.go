package ui

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/keymap"
)

func TestKeymapHasNoDuplicates(t *testing.T) {
	if err := keymap.Check(shipped(), nil); err != nil {
		t.Error(err)
	}
}

// TestEveryKeyIsReadable presses each key once and checks that the map spells
// it the way the terminal library does.
func TestEveryKeyIsSpelledRight(t *testing.T) {
	for _, c := range shipped() {
		for _, k := range c.Key.Keys() {
			if got := keyPress(k).String(); got != k {
				t.Errorf("%q arrives as %q", k, got)
			}
		}
	}
}

func allKeys() []string {
	out := []string{"a", "x", ":", ">", "ctrl+r", "ctrl+s", "ctrl+x", "t", "o", "i", "@", "(", "~", "1", "0", "\"", "backspace", "alt+x", "z"}
	for _, c := range shipped() {
		if c.ID != "global.quit" && c.ID != "global.interrupt" {
			out = append(out, c.Key.Keys()...)
		}
	}
	return out
}

// play presses random keys, clicks and resizes on a lively screen.
func play(t *testing.T, seed uint64, n int) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := lively()
		f := newFakeReplayer()
		if seed%3 == 1 {
			f.plan.Unmarked = nil
		}
		d := drive(t, s, Options{
			Replayer: f, Notebook: newNotebook(), Exporter: &fakeExporter{},
			Filters:      &filterShelf{used: []string{"is:error"}},
			TapInProcess: seed%2 == 0, ASCII: seed%3 == 0, NoColor: seed%5 == 0,
		}, 120, 36)
		keys := allKeys()
		for range n {
			switch r.IntN(20) {
			case 0:
				d.send(tea.WindowSizeMsg{Width: 1 + r.IntN(200), Height: 1 + r.IntN(60)})
			case 1:
				d.send(tea.MouseClickMsg{X: r.IntN(200), Y: r.IntN(60), Button: tea.MouseLeft})
			case 2:
				b := tea.MouseWheelUp
				if r.IntN(2) == 0 {
					b = tea.MouseWheelDown
				}
				d.send(tea.MouseWheelMsg{X: r.IntN(200), Y: r.IntN(60), Button: b})
			default:
				d.press(keys[r.IntN(len(keys))])
			}
		}
	})
}

func TestRandomKeys(t *testing.T) {
	for seed := range uint64(25) {
		play(t, seed, 120)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { play(t, seed, 80) })
}
