package gating

import (
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/gate"
)

func press(e *editor, keys ...string) {
	codes := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"enter": tea.KeyEnter, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	}
	for _, name := range keys {
		k := tea.KeyPressMsg{Code: codes[name]}
		if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
			k = tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
		} else if k.Code == 0 {
			k = tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
		}
		e.take(k)
	}
}

// TestEditor writes, also across lines and in characters of several bytes.
func TestEditor(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"ab", "right X", "aXb"},
		{"ab\ncd", "end enter", "ab\n\ncd"},
		{"  ab", "end enter x", "  ab\n  x"},
		{"ab\ncd", "down backspace", "abcd"},
		{"ab\ncd", "end delete", "abcd"},
		{"äö", "right backspace", "ö"},
		{"äö", "end left delete", "ä"},
		{"abc\nd", "end down x", "abc\ndx"},
		{`"path": "src"`, "end ctrl+w", `"path": "src`},
		{"ab cd", "end ctrl+w", "ab "},
		{"abc", "right ctrl+k", "a"},
		{"abc", "end left ctrl+u", "c"},
		{"ab", "backspace left up", "ab"},
		{"ab", "end delete right down", "ab"},
	} {
		e := newEditor(c.text)
		press(e, strings.Fields(c.keys)...)
		if got := e.text(); got != c.want {
			t.Errorf("%q, %s: %q, not %q", c.text, c.keys, got, c.want)
		}
	}
	e := newEditor("ab")
	press(e, "right")
	e.take(tea.PasteMsg{Content: "1\r\n2\t3"})
	if got := e.text(); got != "a1\n2  3b" {
		t.Errorf("pasted: %q", got)
	}
}

// TestWas says what a line was before, and which are new.
func TestWas(t *testing.T) {
	e := newEditor("a\nb\nc")
	e.write("a\nB\nc\n")
	if was, replaced, added := e.was(1); was != "b" || !replaced || added {
		t.Errorf("%q %v %v", was, replaced, added)
	}
	e.write("a\nb\nx\nc")
	if _, replaced, added := e.was(2); replaced || !added {
		t.Errorf("%v %v", replaced, added)
	}
	if _, replaced, added := e.was(3); replaced || added {
		t.Errorf("%v %v", replaced, added)
	}
	e.write("c")
	if _, replaced, added := e.was(0); replaced || added {
		t.Errorf("%v %v", replaced, added)
	}
}

// TestDraft: nothing is sent of what was not changed, and JSON as it came: without
// line breaks, numbers and names as they were.
func TestDraft(t *testing.T) {
	h := &gate.Held{ID: 3, Payload: `{"b":1.0,"a":[1,2],"b":2}`, Head: "POST / HTTP/1.1\r\nA: b\r\n\r\n"}
	d := newDraft(h)
	if got := d.orders(3); len(got) != 1 || got[0].Do != "release" || d.changed() {
		t.Errorf("%+v", got)
	}
	d.body.write(strings.Replace(d.body.text(), "1.0", "1.50", 1))
	got := d.orders(3)
	if len(got) != 2 || got[0].Body != `{"b":1.50,"a":[1,2],"b":2}` {
		t.Errorf("%+v", got)
	}
	d.body.write("{")
	if d.fault() == "" {
		t.Error("no fault")
	}
	for _, h := range []*gate.Held{{Payload: "\xff"}, {Head: "GET / HTTP/1.1\r\n\r\n"}} {
		if newDraft(h).closed() == "" {
			t.Errorf("%+v can be written", h)
		}
	}
}

type texts struct{ text []byte }

func (e *texts) Run() error          { return nil }
func (e *texts) Text() []byte        { return e.text }
func (e *texts) SetStdin(io.Reader)  {}
func (e *texts) SetStdout(io.Writer) {}
func (e *texts) SetStderr(io.Writer) {}

// TestOwnEditor: what is left in the user's editor is what was written.
func TestOwnEditor(t *testing.T) {
	e := newEditor("{\n  \"a\": 1\n}")
	edited(e, &texts{[]byte("{\n  \"a\": 2\n}\n")}, nil)(nil)
	if e.text() != "{\n  \"a\": 2\n}" || e.row != 1 {
		t.Errorf("%q, line %d", e.text(), e.row)
	}
}
