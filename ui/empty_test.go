package ui

import (
	"errors"
	"strings"
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

// TestPlaysAreTold: what goes on in a play stands in the last line, until a key is
// pressed or the next thing happens.
func TestPlaysAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan string)
		d := drive(t, lively(), Options{Told: told}, 120, 36)
		for _, line := range []string{"1 of 2: a client connects\x1b[31m", "2 of 2: it calls a tool"} {
			told <- line
			d.send()
			d.want(line[:20])
			if strings.Contains(d.m.View().Content, "\x1b[31m") {
				t.Error("something gets through")
			}
		}
		d.wantNot("1 of 2")
		d.press("j")
		d.wantNot("2 of 2")
	})
}
