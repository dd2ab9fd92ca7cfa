package split

import (
	"io"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// silence is a program that writes nothing.
type silence struct{ gone chan struct{} }

func (s silence) Read([]byte) (int, error) {
	<-s.gone
	return 0, io.EOF
}
func (silence) Write(p []byte) (int, error) { return len(p), nil }

func terminal(tb testing.TB) *Terminal {
	gone := make(chan struct{})
	tb.Cleanup(func() { close(gone) })
	return New("test", silence{gone}, func(int, int) {})
}

// checkPicture: a picture is of its size, and nothing in it but colours and links reaches
// the terminal that it is drawn on.
func checkPicture(tb testing.TB, t *Terminal, w, h int) {
	tb.Helper()
	lines, x, y, cursor := t.picture(w, h)
	if cursor && (x < 0 || y < 0 || x >= w || y >= h) {
		tb.Errorf("the cursor is at %d,%d of %d,%d", x, y, w, h)
	}
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			tb.Errorf("line %d has %d cells of %d: %q", i, n, w, line)
		}
		for rest := line; rest != ""; {
			seq, _, n, _ := ansi.DecodeSequence(rest, 0, nil)
			rest = rest[n:]
			if strings.HasPrefix(seq, "\x1b") {
				if !(strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m")) && !strings.HasPrefix(seq, "\x1b]8;") {
					tb.Errorf("line %d: %q passes", i, seq)
				}
			} else if strings.ContainsFunc(seq, unicode.IsControl) {
				tb.Errorf("line %d: the control character %q passes", i, seq)
			}
		}
	}
}

func FuzzPicture(f *testing.F) {
	f.Add([]byte("\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07plain \x1b[31mred\x1b[m 日本\r\n\tx\x1b[?1049h\x1b[2J"), uint8(20), uint8(5))
	f.Add([]byte("\x1b]8;;http://x/\x1b]0;in a link\x07\x1b\\link\x1b]8;;\x1b\\ \x9b31m \xff\xfe e\u0301 \u202e \u200b"), uint8(1), uint8(1))
	f.Add([]byte("\x1b[9999;9999H👩‍👩‍👧\x1b[5L\x1b[3;1r\x1bM\x1bc\x1bP+q544e\x1b\\\x1b[6n\x1b[c\x1b]11;?\x07"), uint8(3), uint8(40))
	f.Fuzz(func(tt *testing.T, data []byte, w, h uint8) {
		t := terminal(tt)
		t.resize(int(w)+1, int(h)+1)
		t.show(data)
		checkPicture(tt, t, int(w)+1, int(h)+1)
		t.resize(7, 3)
		t.show(data)
		checkPicture(tt, t, 7, 3)
	})
}

// TestKeys: keys reach the program as xterm sends them.
func TestKeys(tt *testing.T) {
	for want, key := range map[string]tea.KeyPressMsg{
		"a":         {Code: 'a', Text: "a"},
		"A":         {Code: 'a', Text: "A", Mod: tea.ModShift},
		"日":         {Code: '日', Text: "日"},
		"\x03":      {Code: 'c', Mod: tea.ModCtrl},
		"\x1bb":     {Code: 'b', Mod: tea.ModAlt},
		"\x1b[A":    {Code: tea.KeyUp},
		"\x1b[1;5C": {Code: tea.KeyRight, Mod: tea.ModCtrl},
		"\x1b[1;2D": {Code: tea.KeyLeft, Mod: tea.ModShift},
		"\x1b[Z":    {Code: tea.KeyTab, Mod: tea.ModShift},
		"\x1b\r":    {Code: tea.KeyEnter, Mod: tea.ModShift},
		"\r":        {Code: tea.KeyEnter},
	} {
		t := &Terminal{typed: make(chan []byte, 4)}
		t.begin(10, 3)
		t.send(key)
		got := string(<-t.typed)
		for len(got) < len(want) {
			got += string(<-t.typed)
		}
		if got != want {
			tt.Errorf("%s: %q, want %q", key.String(), got, want)
		}
	}
}

// TestNobodyReads: keys for a program that reads none do not hold up the screen.
func TestNobodyReads(tt *testing.T) {
	t := &Terminal{typed: make(chan []byte, 1)}
	t.begin(10, 3)
	for range 5000 {
		t.send(tea.KeyPressMsg{Code: 'a', Text: "a"})
		t.show([]byte("\x1b[6n")) // it asks, too
	}
}

// heard is a screen that keeps the keys it gets.
type heard struct {
	Screen
	keys []string
}

func (h *heard) Away(bool) {}

func (h *heard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		h.keys = append(h.keys, key.String())
	}
	return h, nil
}

// TestKeyBehindTheEnd: a key right behind the end of the program is for the screen, also
// before midwire has drawn that end.
func TestKeyBehindTheEnd(t *testing.T) {
	program, screen := terminal(t), &heard{}
	m := Beside(screen, program)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	program.End("ended, status 3")
	m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	if got := strings.Join(screen.keys, " "); got != "q" {
		t.Errorf("the screen got %q", got)
	}
}
