package term

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// TestInput looks at what of an input is seen, and at the place of the cursor.
func TestInput(t *testing.T) {
	sg := Unicode()
	for _, c := range []struct {
		text, want string
		left       int // characters behind the cursor
		cursor     int
	}{
		{"", "/          ", 0, 1},
		{"abc", "/abc       ", 0, 4},
		{"abc", "/abc       ", 2, 2},
		{"中文ab", "/中文ab    ", 1, 6},
		{"0123456789", "/…23456789 ", 0, 10},
		{"0123456789ab", "/…3456789ab", 1, 10},
		{"0123456789ab", "/012345678…", 5, 8},
		{"0123456789ab", "/012345678…", 12, 1},
		{"a\u202eb", "/a\\u202eb  ", 0, 9},
	} {
		in := NewInput(20)
		in.Write(c.text)
		in.SetCursor(len([]rune(c.text)) - c.left)
		l := NewLine(11, &sg).Put(Plain, "/")
		in.Draw(l, l.Max)
		if got := ansi.Strip(l.Finish()); got != c.want || l.Cursor != c.cursor {
			t.Errorf("%q before %d: %q, cursor %d; want %q, %d", c.text, c.left, got, l.Cursor, c.want, c.cursor)
		}
	}
}

// TestDeleteAWord: the word behind the cursor is deleted, be it one character.
func TestDeleteAWord(t *testing.T) {
	for left, want := range map[int]string{0: "one two", 1: "one tw", 3: "one ", 7: " two"} {
		in := NewInput(20)
		in.Focus()
		in.Write("one two")
		in.SetCursor(7 - left)
		in.Take(tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt})
		if in.Value() != want {
			t.Errorf("%d behind the cursor: %q, want %q", left, in.Value(), want)
		}
	}
}
