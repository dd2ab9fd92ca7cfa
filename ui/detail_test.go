package ui

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"midwire/ui/menu"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/export"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// fakeExporter notes what it is to write.
type fakeExporter struct {
	mu    sync.Mutex // guards asked
	asked []string
	err   error
}

func (f *fakeExporter) note(format string, a ...any) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, fmt.Sprintf(format, a...))
	return "/home/me/work/" + strings.ReplaceAll(f.asked[len(f.asked)-1], " ", "-"), f.err
}

func (f *fakeExporter) Export(_ context.Context, rec string, session int, format string) (string, error) {
	return f.note("export %s %d %s", rec, session, format)
}

func (f *fakeExporter) SARIF(found map[string][]*diagnose.Finding) (string, error) {
	return f.note("sarif %d", len(found["files"]))
}

func (f *fakeExporter) Save(rec, name string, data []byte) (string, error) {
	return f.note("save %s %s %d %.20q", rec, name, len(data), data)
}

func (f *fakeExporter) Curl(rec string, n uint64) (string, error) {
	return f.note("curl %s %d", rec, n)
}

func (f *fakeExporter) ReplayLine(rec string, session int) (string, error) {
	return f.note("replay %s %d", rec, session)
}

func (f *fakeExporter) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asked) == 0 {
		return ""
	}
	return f.asked[len(f.asked)-1]
}

// rich is a recording of a tool that answers with a bit of everything.
func rich() *fakeSource {
	var t scenes.Tape
	t.At(10).Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{"q":"x"},"_meta":{"progressToken":1}}}`)
	t.At(60).Line(wire.ToClient, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2,"message":"half"}}`)
	t.At(90).Line(wire.ToClient, "%s", strings.Replace(strings.Replace(tooled, "PNG", png(), 1), `"id":3`, `"id":1`, 1))
	return having(Recording{ID: "files", Label: "files-server", Tap: "stdio", Where: "node build/index.js"}, t.Frames)
}

func TestDetailScreens(t *testing.T) {
	for _, tt := range []struct{ name, keys string }{
		{"tree", "g enter l l j j j j j j j"},
		{"folded", "g enter l l - j j j enter j enter"},
		{"timing", "g enter h"},
		{"copy", "g enter l l j j j j j j j y"},
		{"export", "x"},
	} {
		screens(t, "pane-"+tt.name, func(t *testing.T, w, h int) *driver {
			d := drive(t, rich(), Options{Exporter: &fakeExporter{}}, w, h)
			d.press(strings.Fields(tt.keys)...)
			return d
		})
	}
}

func TestHeadersScreens(t *testing.T) {
	for name, keys := range map[string]string{"headers": "h h", "http-timing": "h"} {
		screens(t, "pane-"+name, func(t *testing.T, w, h int) *driver {
			s := having(Recording{ID: "http", Label: "pages", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000"}, scenes.HTTP())
			d := drive(t, s, Options{}, w, h)
			d.press(strings.Fields("g j j enter " + keys)...)
			return d
		})
	}
}

// TestDetailLooks keeps the colours of a tree: the cursor is seen without any.
func TestDetailLooks(t *testing.T) {
	for name, opts := range map[string]Options{
		"dark": {Theme: "dark"}, "light": {Theme: "light"},
		"nocolor": {NoColor: true}, "ascii": {NoColor: true, ASCII: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := drive(t, rich(), opts, 80, 24)
				d.press(strings.Fields("g enter l l j j j j j j j")...)
				golden(t, "look-pane-"+name, d.colours())
			})
		})
	}
}

// find filters by a text, and goes to where it is in the detail.
func (d *driver) find(text string) {
	d.press("/")
	d.typed(text)
	d.press("enter")
	d.pass(time.Second)
	d.press("n")
}

// TestFoldingStory folds, and looks for something that is folded away.
func TestFoldingStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, rich(), Options{}, 120, 48)
		d.press("g", "enter", "G")
		d.want("[Body]", "shown above")
		d.press("-")
		d.want(`"result": { … 4 }`)
		d.wantNot(`"content"`)
		d.press("G", "k")
		d.want(" result  object, 4 members", "enter unfolds")
		d.press("enter", "j")
		d.want(`"content": [ 4 items, 12kB: shown above ],`, "result.content  array, 4 elements")
		d.press("k", "enter")
		d.find(`"file:"`)
		d.want("result.content[3].resource.uri")
		d.press("=", "G")
		d.want("hello", "world")
	})
}

// TestCursorStays keeps the place when the pane is drawn anew.
func TestCursorStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, rich(), Options{}, 120, 36)
		d.press("g", "enter", "=")
		d.find(`"file:"`)
		const where = "result.content[3].resource.uri"
		d.want(where)
		d.send(tea.WindowSizeMsg{Width: 82, Height: 24})
		d.want(where, `▌`)
		for range 4 {
			d.send(tea.MouseWheelMsg{X: 10, Y: 15, Button: tea.MouseWheelUp})
			d.pass(time.Second)
		}
		d.wantNot(where)
		d.press("g")
		d.want("▌✓ The server responded")
	})
}

func TestDetailByMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, rich(), Options{}, 120, 36)
		click := func(text string) {
			t.Helper()
			for y, l := range strings.Split(d.screen(), "\n") {
				if before, _, ok := strings.Cut(l, text); ok {
					d.send(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
					return
				}
			}
			t.Fatalf("%q is not on the screen:\n%s", text, d.screen())
		}
		d.press("g")
		for _, name := range []string{"Headers", "Raw", "Body"} {
			click(name)
			d.want("[" + name + "]")
		}
		d.press("G")
		click(`"content"`)
		d.want("result.content  array", `▌    "content"`)
		click(`"content"`)
		d.want(`"type": "text"`)
	})
}

func TestCopyUnderTheCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeExporter{}
		d := drive(t, rich(), Options{Exporter: f}, 120, 48)
		d.press("g", "enter", "=")
		d.find("two")
		for key, want := range map[string]string{"p": "result.content[0].text", "v": "one\ntwo\tx\n", "m": "/home/me/work/replay-files-0"} {
			d.press("y")
			if key == "m" { // a command makes it
				if d.press(key); f.last() != "replay files 0" {
					t.Errorf("%q was made", f.last())
				}
				d.want("sent to the terminal's clipboard: replay command")
				continue
			}
			if got := d.copied(key); got != want {
				t.Errorf("%s copies %q, not %q", key, got, want)
			}
		}
		d.press("y", "d")
		d.press("y")
		d.want("as Markdown")
		d.wantNot("curl") // it is not HTTP
		d.press("F")
		if want := `save files files-server-3.json `; !strings.HasPrefix(f.last(), want) {
			t.Errorf("%q was written", f.last())
		}
		d.want("written to /home/me/work/save")
	})
}

func TestExportMenu(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeExporter{}
		d := drive(t, lively(), Options{Exporter: f}, 80, 24)
		d.press("x")
		d.want("Export files-server", "html", "masked")
		d.press("h")
		d.want("written to /home/me/work/export-files-0-html")
		d.press("j")
		d.wantNot("written to")
		d.press("x", "z")
		d.want("z chooses nothing here", "A new file, for you alone, in")
		d.press("down", "enter") // the second
		d.want("written to /home/me/work/export-files-0-har")
		d.press("j")
		f.err = errors.New("open report.html: permission denied; start midwire in a writable folder")
		d.press("x", "t")
		d.want("permission denied; start midwire in a writable folder")
		d.press("!", "x")
		if f.last() != "sarif 3" {
			t.Errorf("%q was written", f.last())
		}
		d = drive(t, lively(), Options{}, 80, 24)
		d.press("x")
		d.want("midwire export does")
	})
	var names []string
	for _, f := range menu.Formats() {
		names = append(names, f.Name)
	}
	for _, name := range export.Formats() {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") || len(names) != len(export.Formats()) {
			t.Errorf("the menu has %v, and not all of %v", names, export.Formats())
		}
	}
}

// TestBigFramesStay: what the pane shows is not thrown out of the cache for
// being big, to be read again for ever.
func TestBigFramesStay(t *testing.T) {
	if testing.Short() {
		t.Skip("a frame of 48 MiB")
	}
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`)
		tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"x":"%s"}}`, strings.Repeat("x", 48<<20))
		s := having(Recording{ID: "files", Label: "files-server", Tap: "stdio", Where: "node"}, tape.Frames)
		d := drive(t, s, Options{}, 120, 36)
		d.press("g", "enter", "l", "l")
		d.want("#1 line", "tools/call")
		d.press("G")
		d.want("46M more are in the recording and not shown here")
	})
}

const tooled = `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"one\ntwo\tx\n"},` +
	`{"type":"text","text":" {\"a\":[1,2,{\"b\":\"x\\ny\"}]}"},{"type":"image","data":"PNG","mimeType":"image/png"},` +
	`{"type":"resource","resource":{"uri":"file:///x","mimeType":"text/plain","blob":"aGVsbG8Kd29ybGQK"}}],"isError":false,"none":{},"also":[]}}`

// png is the beginning of a picture of 800 by 600.
func png() string {
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x20\x00\x00\x02\x58\x08\x06\x00\x00\x00"), make([]byte, 9000)...)
	return base64.StdEncoding.EncodeToString(b)
}
