package ui

import (
	"strings"
	"testing"
	"testing/synctest"
)

// command writes a command into the palette.
func (d *driver) command(text string) {
	d.t.Helper()
	d.press(":")
	d.typed(text)
	d.press("enter")
}

// TestEscComesBackToTheView: from a message that a view led to, to the view as
// it was, and from there to the messages as they were.
func TestEscComesBackToTheView(t *testing.T) {
	for _, keys := range []string{"! ] right", "! s tab j", "w k k", "w + + h k", "s k", "t", "c", "H"} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, broken(t), Options{}, 120, 36)
			d.press("g")
			messages := d.screen()
			d.press(strings.Fields(keys)...)
			before := d.screen()
			d.command("goto 11")
			d.want("▌i  11", "files-server ▸ messages", "esc "+string(d.m.history.view().Name()))
			d.press("esc")
			if got := d.screen(); got != before {
				t.Errorf("after %q, there and back:\n%s\ninstead of\n%s", keys, got, before)
			}
			if d.press("esc", "esc"); strings.ContainsAny(keys[:1], "!tcH") && d.screen() != messages {
				t.Errorf("after %q, in the end:\n%s\ninstead of\n%s", keys, d.screen(), messages)
			}
		})
	}
}

// TestFilterOnAView: where the view shows what the list shows, it filters that;
// anywhere else it goes to the messages, and esc comes back.
func TestFilterOnAView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := rerun(t, newFakeReplayer(), Options{}, 120, 36)
		d.press("R", "y")
		d.moment()
		for open, there := range map[string]string{"alt+d": "▸ replay", "!": "▸ findings", "t": "▸ tools", "H": "▸ handles"} {
			d.press("esc", "esc", "esc", open)
			d.want(there)
			before := d.screen()
			d.command("filter tool:search_files")
			d.want("files-server ▸ messages", "1 of 17")
			d.press("esc")
			if got := d.screen(); got != before {
				t.Errorf("after %s:\n%s\ninstead of\n%s", open, got, before)
			}
		}
		d.press("esc", "w")
		d.command("filter tool:search_files")
		d.want("▸ waterfall", "1 of 17")
		d.press("esc")
		d.want("▸ messages", "1 of 17")
	})
}

// TestViewsAreTakenInPlaceOfEachOther: one esc goes back to the messages.
func TestViewsAreTakenInPlaceOfEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		d.press("w", "s", "t", "!")
		d.want("▸ findings")
		d.press("esc")
		d.want("▸ messages")
		d.press("!", "j", "enter", "w")
		d.want("▸ waterfall")
		d.press("esc")
		d.want("▸ messages", "esc findings")
		d.press("esc")
		d.want("▸ findings")
		d.press("2", "esc")
		d.want("▸ messages")
	})
}

// TestComparisonComesOverAView: a replay that ends shows what came of it, and
// esc goes on where one was.
func TestComparisonComesOverAView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		f.hold = make(chan struct{})
		d := rerun(t, f, Options{}, 120, 36)
		d.press("R", "y", "w")
		d.want("▸ waterfall")
		close(f.hold)
		d.moment()
		d.want("▸ replay")
		d.press("enter")
		d.want("BEFORE", "▸ replay ▸ #")
		d.press("esc")
		d.want("▸ replay", "sort weight")
		d.press("esc")
		d.want("▸ waterfall")
	})
}
