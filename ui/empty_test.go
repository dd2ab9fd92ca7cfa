package ui

import (
	"errors"
	"testing"
	"testing/synctest"

	"midwire/ui/welcome"
)

// fakeStarter plays nothing, and says what it was asked for.
type fakeStarter struct{ asked []string }

func (s *fakeStarter) Plays() []welcome.Play {
	return []welcome.Play{{Name: "demo", Title: "the demo, 4 clients"}, {Name: "not-initialized", Title: "Server not initialized"}}
}

func (s *fakeStarter) Play(name string) error {
	s.asked = append(s.asked, name)
	return nil
}

func (s *fakeStarter) Serve(url string) (string, error) {
	s.asked = append(s.asked, url)
	if url == "x" {
		return "", errors.New("x is no URL")
	}
	return "http://127.0.0.1:18302/mcp", nil
}

// TestFirstSession: each card does what it says.
func TestFirstSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeStarter{}
		d := drive(t, newFakeSource(), Options{Starter: s}, 120, 36)
		d.press("j", "enter")
		d.want("the play is over")
		d.press("c", "right", "right", "right")
		d.want("VS Code", ".vscode/mcp.json", "\"servers\"")
		d.press("y")
		d.want("the entry for VS Code")
		d.press("h", "ctrl+u")
		d.typed("x")
		d.press("enter")
		d.want("x is no URL")
		d.press("backspace")
		d.typed("http://localhost:1/mcp?q")
		d.press("enter")
		d.want("clients use http://127.0.0.1:18302/mcp")
		if len(s.asked) != 3 || s.asked[0] != "not-initialized" || s.asked[2] != "http://localhost:1/mcp?q" {
			t.Errorf("asked for %q", s.asked)
		}
		d.press("esc", "?")
		d.want("Help")
	})
}
