package filter

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/view"
)

// sessions is a subject with two clients, and the host of its line.
type sessions struct {
	view.Host // what the line never asks for
	list      messages.List
	node      *lang.Node
	said      string
}

func (s *sessions) Language() lang.Language { return lang.Sessions() }
func (s *sessions) Values(string) map[string]int {
	return map[string]int{"cursor 1.9": 1, "claude": 3, "\x1b[2J": 9}
}
func (s *sessions) Filter(n *lang.Node)      { s.node = n }
func (s *sessions) Matches() (shown, of int) { return 1, 2 }
func (s *sessions) Example() safe.Text       { return "is:failing" }
func (s *sessions) Scope() library.Scope     { return library.Scope{} }
func (s *sessions) Rows() *messages.List     { return &s.list }
func (s *sessions) Do(any) tea.Cmd           { return nil }

func (s *sessions) Complain(text safe.Text) tea.Cmd {
	s.said = string(text)
	return nil
}

func press(f *Line, h view.Host, keys ...string) {
	for _, k := range keys {
		switch k {
		case "tab":
			f.Key(h, tea.KeyPressMsg{Code: tea.KeyTab})
		case "up":
			f.Key(h, tea.KeyPressMsg{Code: tea.KeyUp})
		case "enter":
			f.Key(h, tea.KeyPressMsg{Code: tea.KeyEnter})
		default:
			for _, r := range k {
				f.Key(h, tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
	}
}

// Tab goes through what can stand at the cursor, the most frequent first; what could
// not be typed is not offered.
func TestCompletion(t *testing.T) {
	s := &sessions{}
	f := NewFor(s)
	f.Edit(s)
	press(&f, s, "cl", "tab")
	if f.Text() != "client:" {
		t.Errorf("a key: %q", f.Text())
	}
	press(&f, s, "tab")
	if f.Text() != "client:claude" {
		t.Errorf("a value: %q", f.Text())
	}
	press(&f, s, "tab")
	if f.Text() != `client:"cursor 1.9"` || s.node == nil || s.node.Value != "cursor 1.9" {
		t.Errorf("the next: %q, %v", f.Text(), s.node)
	}
	if press(&f, s, "tab"); f.Text() != "client:claude" {
		t.Errorf("the first again: %q", f.Text())
	}
}

type keeper struct{ used []string }

func (k *keeper) Load() ([]string, error) { return nil, errors.New("not there") }
func (k *keeper) Use(filter string) error { k.used = append(k.used, filter); return nil }

// What was used comes back with up, and is kept; what cannot be read is said.
func TestHistory(t *testing.T) {
	s, k := &sessions{}, &keeper{}
	f := New(k)
	f.Load()().(view.Then)(s)
	if !strings.Contains(s.said, "not there") {
		t.Errorf("%q is said", s.said)
	}
	for _, text := range []string{"is:error", "kind:noise", "is:error"} {
		f.Use(text)()
	}
	f.Edit(s)
	press(&f, s, "up")
	if f.Text() != "is:error" || f.Query() == nil || strings.Join(k.used, " ") != "is:error kind:noise is:error" {
		t.Errorf("%q, kept %q", f.Text(), k.used)
	}
	press(&f, s, "up", "up")
	if f.Text() != "kind:noise" {
		t.Errorf("the oldest: %q", f.Text())
	}
}
