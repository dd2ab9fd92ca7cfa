package ui

import (
	"testing"
	"testing/synctest"
)

// TestViewComesBack: whoever orders the messages on the way finds the view as it
// was, by time.
func TestViewComesBack(t *testing.T) {
	for _, key := range []string{"w", "s"} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), Options{}, 120, 36)
			d.press(key)
			before := d.screen()
			d.press("enter", "o", "l")
			if d.m.list.ByTime() {
				t.Fatal("the list is not in another order")
			}
			d.press("esc")
			d.press("g")
			after := d.screen()
			d.press("esc", key, "g")
			if !d.m.list.ByTime() || after != d.screen() || before == "" {
				t.Errorf("it came back as\n%s\nnot\n%s", after, d.screen())
			}
		})
	}
}
