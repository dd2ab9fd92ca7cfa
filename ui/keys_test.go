package ui

import (
	"testing"

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
