package menu

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/ui/term"
)

// press presses keys and says whether the box is done.
func press(m *Menu, keys ...string) (done bool) {
	for _, k := range keys {
		run, over, _ := m.Key(k)
		if run != nil {
			run()
		}
		if done = over; done {
			return true
		}
	}
	return false
}

func choices(chosen *[]string, keys ...string) *Menu {
	m := &Menu{Title: "Copy", Each: 20}
	for _, k := range keys {
		m.Items = append(m.Items, Item{Key: k, Name: "item", Run: func() tea.Cmd {
			*chosen = append(*chosen, k)
			return nil
		}})
	}
	m.Columns(80, 24)
	return m
}

// TestKeysChoose: a letter chooses at once, the cursor and enter do; j and k move the
// cursor as long as they are no letters of the menu.
func TestKeysChoose(t *testing.T) {
	for _, c := range []struct {
		keys, press, want string
		done              bool
	}{
		{"a b c", "b", "b", true},
		{"a b c", "down down enter", "c", true},
		{"a b c", "up enter", "c", true},
		{"a b c", "j j k enter", "b", true},
		{"a j k", "j", "j", true},
		{"a b c", "x", "", false},
		{"a b c", "esc", "", true},
	} {
		var chosen []string
		done := press(choices(&chosen, strings.Fields(c.keys)...), strings.Fields(c.press)...)
		if got := strings.Join(chosen, " "); got != c.want || done != c.done {
			t.Errorf("%s: %s chose %q, done %v", c.keys, c.press, got, done)
		}
	}
}

// TestMenuStays: what is turned on and off leaves the menu open, and shows; enter
// closes it without turning anything.
func TestMenuStays(t *testing.T) {
	var chosen []string
	m := choices(&chosen, "s", "i")
	on := false
	m.Stays, m.Items[0].On = true, func() bool { return on }
	m.Items[0].Run = func() tea.Cmd {
		on = !on
		return nil
	}
	theme, glyphs := term.NoColour(), term.Unicode()
	sc := &term.Screen{Theme: &theme, Glyphs: &glyphs}
	if press(m, "s") || !on || !strings.Contains(ansi.Strip(m.Draw(sc, 40)[0]), "✓") {
		t.Errorf("on %v: %q", on, ansi.Strip(m.Draw(sc, 40)[0]))
	}
	if press(m, "space") || on {
		t.Error("a blank does not turn it off")
	}
	if !press(m, "enter") || on || len(chosen) > 0 {
		t.Errorf("enter does not close: on %v, chosen %v", on, chosen)
	}
}

// TestTwoColumns: where one column is too long there are two, and a click finds what
// stands there.
func TestTwoColumns(t *testing.T) {
	var chosen []string
	m := choices(&chosen, strings.Fields("a b c d e f g h")...)
	if n := m.Columns(80, 8); n != 2 {
		t.Fatalf("%d columns", n)
	}
	if it := m.At(25, 1, 40); it == nil || it.Key != "f" {
		t.Errorf("%+v stands in the second line of the second column", it)
	}
	if it := m.At(5, 9, 40); it != nil {
		t.Errorf("%+v stands below the last line", it)
	}
}
