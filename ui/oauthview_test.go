package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/internal/scenes"
)

// logins is a recording of a login, of those that the checks are tested with.
func logins(t *testing.T, name string) *fakeSource {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "session", "oauth", "testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	r := Recording{ID: "r", Label: "mcp.example.com", Tap: "http", Where: "127.0.0.1:8080 → https://mcp.example.com/mcp"}
	return having(r, framesOf(t, string(text)))
}

func TestAuthorizationScreens(t *testing.T) {
	for name, of := range map[string][2]string{
		"oauth":        {"resource-differs", "O"},
		"oauth-good":   {"good", "O"},
		"oauth-tries":  {"two-tries", "O n N ]"},
		"oauth-tokens": {"audience", "O v"},
		"oauth-none":   {"no-login", "O"},
	} {
		screens(t, "view-"+name, func(t *testing.T, w, h int) *driver {
			d := drive(t, logins(t, of[0]), Options{}, w, h)
			d.press(strings.Fields(of[1])...)
			return d
		})
	}
}

func TestAuthorizationLooks(t *testing.T) {
	for name, opts := range map[string]Options{"light": {Theme: "light"}, "nocolor": {NoColor: true}, "ascii": {NoColor: true, ASCII: true}} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, logins(t, "two-tries"), opts, 120, 36)
			d.press("O")
			if opts.NoColor && strings.Contains(d.m.View().Content, ";38;") {
				t.Error("there is a hue")
			}
			for _, r := range d.screen() {
				if opts.ASCII && r > 0x7e {
					t.Fatalf("%q is no ASCII:\n%s", r, d.screen())
				}
			}
			golden(t, "view-look-"+name+"-O", d.colours())
		})
	}
}

// TestAuthorizationStory follows somebody who wants to know why a login fails.
func TestAuthorizationStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, logins(t, "audience"), Options{}, 120, 36)
		d.press("O")
		d.want("fails at step 7", "2 of 10 steps failed", "✗ First failing check", "audience-differs", " differs ",
			"https://other.example.com/mcp", "fix the auth. server", "token kept:1", "HTTP 401 invalid_token, as step 7 explains")
		d.wantNot("eyJ")
		d.press("v")
		d.want("access token  kept:1", `aud = "https://other.example.com/mcp"`, "2100-01-01")
		d.wantNot("eyJ", "First failing check")
		d.press("v", "k")
		d.want("✓ Step 6: redirect back", "browser → client")
		d.press("]")
		d.want("First failing check")
		d.press("enter")
		d.want("POST #22", "esc authorization")
		d.press("esc")
		d.want("First failing check")
		d.press("y")
		if len(d.raw) == 0 && !strings.Contains(d.screen(), "as text") {
			t.Error("nothing was copied")
		}
		d.press("esc")
		d.wantNot("Authorization flow")
	})
}

// TestFlowsAreToldApart goes from one try to the next, by key and by mouse.
func TestFlowsAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, logins(t, "two-tries"), Options{}, 120, 36)
		d.press("O")
		d.want("Flow 2 of 2", "login, try 2", "fails at step 7", "accepted")
		d.press("n")
		d.want("Flow 1 of 2", "First failing check")
		d.send(tea.MouseClickMsg{X: 20, Y: 3, Button: tea.MouseLeft})
		d.want("Flow 2 of 2")
		d.press("N")
		d.want("Flow 1 of 2")
	})
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, logins(t, "good"), Options{}, 120, 36)
		d.press("O", "G")
		d.want("login, refresh, step-up", "✓ Step 10: step-up", "files:read files:write", "#53", "authorized")
		d.press("k")
		d.want("✓ Step 9: refresh", "redacted:cccccccc")
	})
}

// TestUnseenServer says what midwire http cannot see, and what does.
func TestUnseenServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, logins(t, "midwire-in-the-way"), Options{}, 120, 36)
		d.press("O")
		d.want("midwire is in the way", "auth.example.com is not in this recording", "midwire exec --host auth.example.com", "not in this recording")
		d.press("j", "enter")
		d.want("this step is not in the recording")
	})
}

// TestNoLoginSeen says so, and how to see one.
func TestNoLoginSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, logins(t, "no-login"), Options{}, 120, 36)
		d.press("O")
		d.want("no login: the token was there before", "token from the start")
	})
	synctest.Test(t, func(t *testing.T) {
		d := openDocuments(t, Options{}, 80, 24)
		d.press("O")
		d.want("No login, and no Authorization header", "midwire exec --host NAME", "midwire demo oauth", "esc goes back")
		d.press("]", "n", "v", "y", "enter", "tab", "j", "G", "esc")
		d.wantNot("Authorization flow")
	})
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, having(Recording{ID: "r", Tap: "stdio"}, scenes.Stdio()), Options{}, 80, 24)
		d.press("O")
		d.want("this is stdio")
	})
}

// TestLoginGoesOn has a login go on while it is watched: what the user selected
// stays selected.
func TestLoginGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, _ := os.ReadFile(filepath.Join("..", "session", "oauth", "testdata", "good.txt"))
		all := framesOf(t, string(text))
		s := newFakeSource()
		s.give(Recording{ID: "r", Label: "mcp", Tap: "http", Live: true}, all)
		b := <-s.ch
		s.ch <- Batch{Recordings: b.Recordings, Frames: b.Frames[:16]}
		d := drive(t, s, Options{}, 120, 36)
		d.press("O")
		d.want("not finished", "✓ Step 3: auth. server metadata")
		d.press("g", "j")
		d.want("✓ Step 2: resource metadata")
		s.ch <- Batch{Frames: b.Frames[16:]}
		d.send()
		time.Sleep(time.Second)
		d.send()
		d.want("authorized", "✓ Step 2: resource metadata", "login, refresh, step-up")
	})
}

// TestHostileLogin: what the parties of a login send reaches the terminal escaped.
func TestHostileLogin(t *testing.T) {
	evil := "\x1b]0;x\x07\x1b[31m\u202e\x9b"
	escaped := `\u001b]0;x\u0007\u202e\u009b2J`
	for _, name := range []string{"good", "audience", "refresh-race", "two-tries"} {
		text, err := os.ReadFile(filepath.Join("..", "session", "oauth", "testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		poisoned := strings.NewReplacer(
			`files:read"`, `files:read`+evil+`"`, `"c-1"`, `"c-1`+escaped+`"`, `"desk"`, `"desk`+escaped+`"`,
			`/token"`, `/token`+escaped+`"`, `"invalid_grant"`, `"invalid_grant`+escaped+`"`, "state=s1", "state=s1%1b%5d0%07%9b",
			"User-Agent: desk/2.0", "User-Agent: desk/2.0"+evil, "tools/call", "tools/call"+escaped,
		).Replace(string(text))
		for _, size := range [][2]int{{160, 40}, {80, 24}, {40, 8}} {
			synctest.Test(t, func(t *testing.T) {
				s := having(Recording{ID: "r", Label: "mcp", Tap: "http"}, framesOf(t, poisoned))
				d := drive(t, s, Options{}, size[0], size[1])
				for k := range strings.FieldsSeq("O g j j j j j j j j j v v ] [ n N tab j tab y enter esc") {
					d.press(k)
					clean(t, "after "+k, d.m.View().Content)
				}
			})
		}
	}
}
