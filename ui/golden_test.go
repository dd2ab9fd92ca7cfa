package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// golden compares with a file in testdata; UPDATE=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (UPDATE=1 rewrites it); now:\n%s", path, got)
	}
}

// sizes are those at which every screen is drawn, and a file of it is kept: of
// what it says at two of them, so that a reworded label changes few files, of
// how it is arranged at all.
var sizes = struct{ layout, content [][2]int }{
	layout:  [][2]int{{160, 40}, {120, 36}, {80, 24}, {60, 15}, {40, 8}},
	content: [][2]int{{120, 36}, {80, 24}},
}

// aboutLayout names the screens whose subject is how they are arranged.
var aboutLayout = []string{
	"library", "main", "detail", "findings", "help", "palette", "pane-export", "view-waterfall", "view-sequence",
}

// screens draws a screen at every size, where the driver checks that it fits,
// and compares it with the files that are kept.
func screens(t *testing.T, name string, show func(t *testing.T, w, h int) *driver) {
	t.Helper()
	kept := sizes.content
	if slices.Contains(aboutLayout, name) {
		kept = sizes.layout
	}
	for _, size := range sizes.layout {
		file := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
		t.Run(file, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := show(t, size[0], size[1])
				if slices.Contains(kept, size) {
					golden(t, file, d.screen())
				}
			})
		})
	}
}

func TestScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"main":     "",
		"detail":   "[ [ enter l l",
		"sessions": "1 j j l j",
		"help":     "?",
		"filter":   "/ i s : e r r o r",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, lively(), Options{}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

// Whatever was pressed, a terminal that is too small shows only that it is.
func TestTooSmall(t *testing.T) {
	for _, keys := range []string{"", "[ [ enter l l", "1 j j l j", "?", "/ i s : e r r o r"} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), Options{}, 39, 8)
			d.press(strings.Fields(keys)...)
			golden(t, "main-39x8", d.screen())
		})
	}
}

func TestEmptyScreens(t *testing.T) {
	hints := Hints{Folder: "~/.local/state/midwire"}
	screens(t, "empty", func(t *testing.T, w, h int) *driver {
		return drive(t, newFakeSource(), Options{Hints: hints, Starter: &fakeStarter{}}, w, h)
	})
}

// pastOnly is a library: two recordings that look the same, one that cannot be
// read, one of the day before.
func pastOnly() *fakeSource {
	s := newFakeSource()
	at := func(id, label, tap, where string, ago time.Duration, trouble string) Recording {
		return Recording{
			ID: id, Label: label, Tap: tap, Where: where,
			Started: started().Add(-ago), Size: 5400, Trouble: trouble,
		}
	}
	s.ch <- Batch{Recordings: []Recording{
		at("a", "demo", "stdio", "/usr/bin/notes --pace 700ms", 70*time.Second, ""),
		at("b", "demo", "stdio", "/usr/bin/notes --pace 700ms --and-a-long-argument", 65*time.Second, ""),
		at("c", "demo", "http", "127.0.0.1:39735 → http://127.0.0.1:43545/mcp", 65*time.Second, ""),
		at("d", "files-server-of-a-long-name", "stdio", "node build/index.js", 20*time.Hour, "its format is newer than this program"),
	}}
	return s
}

func TestLibraryScreens(t *testing.T) {
	for name, keys := range map[string]string{"library": "", "library-trouble": "G"} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, pastOnly(), Options{}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

func TestWaitingScreens(t *testing.T) {
	waiting := func(t *testing.T, w, h int) *driver {
		s := having(Recording{ID: "h", Label: "pages", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000", Live: true}, nil)
		return drive(t, s, Options{
			TapInProcess: true,
			Hints:        Hints{HTTPURL: "http://127.0.0.1:7000/mcp", Upstream: "http://localhost:3000/mcp"},
		}, w, h)
	}
	screens(t, "waiting", waiting)
	for _, size := range sizes.layout {
		synctest.Test(t, func(t *testing.T) {
			d := waiting(t, size[0], size[1])
			d.press("y")
			d.want("sent to the terminal")
		})
	}
}

// TestLooks keeps the bytes of one line in each theme: hues where they may be,
// none where they may not.
func TestLooks(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts Options
		msg  tea.Msg
	}{
		{"dark", Options{Theme: "dark"}, nil},
		{"light", Options{Theme: "light"}, nil},
		{"nocolor", Options{NoColor: true}, nil},
		{"profile-ascii", Options{}, tea.ColorProfileMsg{Profile: colorprofile.ASCII}},
		{"basic", Options{}, tea.ColorProfileMsg{Profile: colorprofile.ANSI}},
		{"ascii", Options{NoColor: true, ASCII: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := drive(t, lively(), tt.opts, 120, 24)
				if tt.msg != nil {
					d.send(tt.msg)
				}
				d.press("[")
				got := d.m.View().Content
				if strings.HasPrefix(tt.name, "nocolor") || strings.Contains(tt.name, "ascii") {
					if i := strings.Index(got, ";38;"); i >= 0 {
						t.Errorf("a hue in %q", got[i:min(len(got), i+40)])
					}
					if !strings.Contains(got, "\x1b[0;7;1m") {
						t.Error("the selection is not reversed and bold")
					}
				}
				golden(t, "look-"+tt.name, d.colours())
			})
		})
	}
}
