package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/term"
)

const maxCommands = 150

// TestCommandsAreWhole: each has an id of its own in an area there is, which a
// configuration can name, and something to run. Those that views share have the same
// keys everywhere.
func TestCommandsAreWhole(t *testing.T) {
	configured, seen, keys := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, b := range Bindings(nil) {
		configured[b.ID] = true
	}
	for _, c := range shipped() {
		at := string(c.In) + " " + c.ID
		if other, ok := keys[c.ID]; ok && other != strings.Join(c.Key.Keys(), " ") {
			t.Errorf("%s has the keys %q and %q", c.ID, other, c.Key.Keys())
		}
		keys[c.ID] = strings.Join(c.Key.Keys(), " ")
		if seen[at] || !configured[c.ID] || !slices.Contains(keymap.Areas(), c.Area()) || c.Run == nil {
			t.Errorf("%s: seen %v, configured %v, runs %v", c.ID, seen[at], configured[c.ID], c.Run != nil)
		}
		if c.Help() != "" && c.Group == "" {
			t.Errorf("%s is in no group of the help", c.ID)
		}
		seen[at] = true
	}
	if n := len(configured); n > maxCommands {
		t.Errorf("%d commands, and %d are enough", n, maxCommands)
	}
}

// TestDisabledCommandsSayWhy: a key that can do nothing says so.
func TestDisabledCommandsSayWhy(t *testing.T) {
	for keys, want := range map[string]string{
		"R":           "replay is not available here",
		"enter h -":   "only JSON can be folded",
		"3 n":         "no text of a filter is in this tab; / filters",
		"x":           "nothing can be exported from here; midwire export does",
		"alt+d":       "nothing was replayed or compared yet",
		"w h":         "all of the time is on the screen",
		"H ]":         "no use of a handle was refused",
		"c J":         "there is no other session to show",
		"! T":         "change the column of time: not here, but with the messages",
		"w y esc y p": "there is no cursor here",
	} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), Options{}, 120, 36)
			d.press(strings.Fields(keys)...)
			d.want(want)
		})
	}
}

func TestEveryKeyOfTheMapCanBeConfigured(t *testing.T) {
	all := map[string][]string{}
	for _, b := range Bindings(nil) {
		all[b.ID] = b.Keys
		if b.Help == "" {
			t.Errorf("%s has no help", b.ID)
		}
	}
	if err := CheckKeys(all); err != nil {
		t.Error(err)
	}
}

func TestOtherKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{Settings: Settings{Keys: map[string][]string{
			"global.down": {"ctrl+j"}, "global.up": {"ctrl+y"}, "global.comment": {"*"}, "global.help": {"f1", "?"}, "messages.filter": {}, "global.follow": {"Z"},
		}}}, 120, 36)
		d.want("Z pause", "f1 help")
		d.wantNot("F follow", "/ filter")
		d.press("ctrl+y", "*")
		d.want("a comment on this message")
		d.press("esc", "j", "/")
		d.wantNot("match")
		d.press("?")
		d.want("^j ^y", "*  ")
	})
}

func TestKeysThatCannotBe(t *testing.T) {
	for id, keys := range map[string][]string{
		"global.follow": {"q"}, "messages.open": {"j"}, "messages.sort": {"T"}, "global.nothing": {"x"}, "global.time": {"double m"}, "global.interrupt": {"x"},
	} {
		if err := CheckKeys(map[string][]string{id: keys}); err == nil || err.ID != id {
			t.Errorf("%s = %q: %v", id, keys, err)
		}
	}
	if err := CheckKeys(map[string][]string{"global.follow": {"q"}, "global.quit": {"ctrl+q"}}); err != nil {
		t.Error(err)
	}
}

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{
			Settings: Settings{NoMouse: true, NoFollow: true, Time: "clock"},
		}, 120, 36)
		d.want("10:15:00.004")
		v := d.m.View()
		if v.MouseMode != tea.MouseModeNone {
			t.Error("the mouse is on")
		}
		if d.m.list.Follow {
			t.Error("the list follows")
		}
	})
}

// TestSignsDifferWithoutColour: whatever stands at one place of the screen is
// told apart by its sign, for those who do not see colours.
func TestSignsDifferWithoutColour(t *testing.T) {
	for _, sg := range []term.Glyphs{term.Unicode(), term.ASCII()} {
		for what, group := range map[string][]safe.Text{
			"verdict":   {sg.Ok, sg.Err, sg.Warn, sg.Pend, sg.Cancel, sg.Lost, " "},
			"finding":   {sg.Err, sg.Warn, sg.Note, sg.Dot, " "},
			"direction": {sg.Req, sg.Ans, sg.ReqNote, sg.AnsNote, sg.Band},
			"tree":      {sg.Live, sg.Ended, sg.Err, sg.Pend, sg.Warn, sg.Dot},
			"fold":      {sg.Folded, sg.Open, " "},
			"life":      {sg.Ok, sg.Err, sg.Now, "-", sg.Ahead},
			"row":       {"*", ";", " "},
			"order":     {sg.Rising, sg.Falling},
			"state":     {sg.Paused, sg.Live, sg.Ended},
		} {
			seen := map[safe.Text]bool{}
			for _, s := range group {
				if s == "" || seen[s] {
					t.Errorf("%s: %q stands for two things", what, s)
				}
				seen[s] = true
			}
		}
	}
}
