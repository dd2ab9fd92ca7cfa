package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view/reading"
)

// documents is a recording of the past with something for every view.
func documents() *fakeSource {
	return having(Recording{ID: "docs", Label: "documents", Tap: "http", Where: "http://localhost:3000"}, insightScene())
}

// open drives a screen that shows the documents.
func openDocuments(t testing.TB, opts Options, w, h int) *driver {
	return drive(t, documents(), opts, w, h)
}

func TestInsightScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"tools":            "t",
		"tools-definition": "t tab j j",
		"prompts":          "t v",
		"session":          "c",
		"session-second":   "c J j",
		"handles":          "H",
		"handles-uses":     "H g tab j",
	} {
		screens(t, "view-"+name, func(t *testing.T, w, h int) *driver {
			d := openDocuments(t, Options{}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

func TestInsightLooks(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts Options
	}{{"light", Options{Theme: "light"}}, {"nocolor", Options{NoColor: true}}, {"ascii", Options{NoColor: true, ASCII: true}}} {
		for _, keys := range []string{"t", "c", "H"} {
			t.Run(tt.name+"-"+keys, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := openDocuments(t, tt.opts, 100, 18)
					d.press(keys)
					got := d.m.View().Content
					if tt.opts.NoColor && strings.Contains(got, ";38;") {
						t.Error("there is a hue")
					}
					if tt.opts.ASCII {
						for _, r := range d.screen() {
							if r > 0x7e {
								t.Fatalf("%q is no ASCII:\n%s", r, d.screen())
							}
						}
					}
					golden(t, "view-look-"+tt.name+"-"+keys, d.colours())
				})
			})
		}
	}
}

// selectedLine is the first line of the screen on the ground of what is selected.
func (d *driver) selectedLine() string {
	sc := d.m.Scene()
	l := term.NewLine(1, sc.Glyphs)
	l.Selected(sc.Theme, true)
	ground, _, _ := strings.Cut(strings.TrimPrefix(l.Put(term.Plain, "x").Finish(), "\x1b[0"), "m")
	for line := range strings.Lines(d.m.View().Content) {
		if strings.Contains(line, ground) {
			return ansi.Strip(line)
		}
	}
	return ""
}

// TestToolsStory follows somebody who wants to know why a tool is never called,
// and what became of the calls of another.
func TestToolsStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDocuments(t, Options{}, 120, 36)
		d.press("t")
		d.want("4 tools · 4 calls", "1 never called", "delete_document", "destructiveHint", "called, and in no list")
		d.press("G", "o", "o", "o", "o")
		d.want("by name")
		if line := d.selectedLine(); !strings.Contains(line, "delete_document") {
			t.Errorf("%s is selected: sorting must not move the selection", line)
		}
		d.press("g")
		d.want("delete_document")
		d.press("tab")
		d.want("Definition of delete_document", "Deletes a document for good.", `"destructiveHint": true`)
		d.want("Never called. Listed in #19, no client asked for it.")
		d.press("esc", "j", "enter")
		d.want("tool=edit_document", "2 of", "esc tools")
		d.press("esc")
		d.want("documents ▸ tools")
		if d.m.filter.Query() != nil {
			t.Error("the filter stays behind")
		}
		d.press("g", "enter") // never called: the list that offers it
		d.want("tools/list", "esc tools")
		d.press("esc", "esc")
		d.wantNot("▸ tools")
	})
}

func TestToolsFindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDocuments(t, Options{}, 120, 36)
		d.press("t")
		d.press("j", "j")
		d.want("┃ i The server does not know a method")
	})
}

func TestPromptsAndResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("t", "v")
		d.want("▸ prompts", "review", "the client never asked for prompts/list")
		d.press("v")
		d.want("▸ resources", "file:///src/auth.go", "1 read")
		d.press("enter")
		d.want(`method:resources/read "file:///src/auth.go"`, "1 of")
		d.press("esc", "v")
		d.want("▸ tools", "search_files")
	})
}

// TestSessionPage follows somebody who asks what both sides agreed on, and copies it.
func TestSessionPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDocuments(t, Options{}, 120, 50)
		d.press("c")
		d.want("CLIENT  desk-app 2.1", "SERVER  documents 0.9", "requested version 2025-11-25", "chosen version 2025-06-18 ! not the requested one",
			"Open a document first", "not declared, used 1×, first in #39", "declared, never used", "experimental.acme/live", `{"v":2}`, "session 1 of 2")
		d.want("GET stream", "POST response tools/call edit_document", "cut by the server at", "longest silence 1.2s", "1 heartbeat")
		d.press("y")
		d.want("page of the session")
		d.press("J")
		d.wantNot("not declared")
		d.press("K")
		d.want("not declared")
		d.press("esc")
		d.wantNot("▸ session")
	})
}

// TestUnseenHandshake says what is not known as not known.
func TestUnseenHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		s := having(Recording{ID: "a", Label: "middle", Tap: "stdio"}, tape.Frames)
		d := drive(t, s, Options{}, 120, 36)
		d.press("c")
		d.want("initialize was not seen", "unknown", "? tools", "used 1×", "stdio has none")
		d.wantNot("not declared")
		d.press("t")
		d.want("tools/list (#1) got no response")
		d.press("H")
		d.want("No handles")
	})
}

// TestViewsGoOn has messages come in while a view is open.
func TestViewsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		all := insightScene()
		s.give(Recording{ID: "docs", Label: "documents", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000", Live: true}, all)
		b := <-s.ch
		half := len(b.Frames) / 2
		s.ch <- Batch{Recordings: b.Recordings, Frames: b.Frames[:half]}
		d := drive(t, s, Options{}, 120, 36)
		d.press("t")
		d.want("3 tools", "1 call ")
		s.ch <- Batch{Frames: b.Frames[half:]}
		d.send()
		time.Sleep(time.Second)
		d.send()
		d.want("4 tools · 4 calls")
		if n := d.m.insights.Taken(); n != len(all) {
			t.Errorf("%d of %d frames were read", n, len(all))
		}
	})
}

// TestUnreadableFrames says so, and shows the rest.
func TestUnreadableFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := documents()
		d := drive(t, s, Options{}, 120, 36)
		s.recs["docs"] = s.recs["docs"][:40]
		d.press("t")
		d.want("frames could not be read", "open_document")
	})
}

// TestReaderForgetsTheOther goes from one recording to another while a view is
// open.
func TestReaderForgetsTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 160, 40)
		d.press("t")
		d.want("search_files")
		d.press("esc")
		d.m.show(library.Scope{Rec: d.m.rec("http"), Session: library.AllSessions})
		d.press("t")
		d.want("render")
		d.wantNot("search_files")
	})
}

// TestViewsOfWhatIsNotLoaded: a view of a recording that nobody opened has it
// read; esc comes back to the start screen.
func TestViewsOfWhatIsNotLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, pastOnly(), Options{}, 80, 24)
		for _, k := range []string{"t", "c", "H"} {
			d.press(k)
			d.want("demo ▸")
			d.press("esc")
			d.want("─ Sessions ─")
		}
	})
}

// TestManyTools scrolls through more than fit.
func TestManyTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		var names []string
		for i := range 200 {
			names = append(names, fmt.Sprintf(`{"name":"tool_%03d","inputSchema":{}}`, i))
		}
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"tools":[%s]}}`, strings.Join(names, ","))
		s := having(Recording{ID: "a", Tap: "stdio"}, tape.Frames)
		d := drive(t, s, Options{}, 80, 24)
		d.press("t", "G")
		d.want("tool_199", "200 never called")
		d.send(tea.MouseWheelMsg{X: 3, Y: 8, Button: tea.MouseWheelUp})
		d.wantNot("○ tool_199")
		d.press("g")
		d.want("tool_000")
		d.send(tea.MouseClickMsg{X: 3, Y: 8, Button: tea.MouseLeft})
		if line := d.selectedLine(); !strings.Contains(line, "tool_005") {
			t.Errorf("%s was clicked", line)
		}
	})
}

// TestLatestCalls: what is only the latest of many calls says so at every width,
// and the newest is there at every height.
func TestLatestCalls(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {120, 36}, {100, 20}, {80, 24}, {80, 18}, {60, 24}, {46, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape scenes.Tape
				tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
				tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"search_with_a_long_name","inputSchema":{}}]}}`)
				for i := range 7 {
					tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_with_a_long_name","arguments":{"n":%d}}}`, i+2, i)
					tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i+2)
				}
				d := drive(t, having(Recording{ID: "a", Tap: "stdio"}, tape.Frames), Options{}, size[0], size[1])
				d.press("t")
				d.want("Latest ", " calls of s", fmt.Sprintf("#%d ", len(tape.Frames)-1))
			})
		})
	}
}

// TestInsightReopened: a view that is opened again knows what it knew.
func TestInsightReopened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDocuments(t, Options{}, 120, 36)
		for _, key := range []string{"t", "H", "c"} {
			d.press(key)
			was := d.screen()
			d.press("esc", key)
			if now := d.screen(); now != was {
				t.Errorf("%s: it was\n%s\nand is\n%s", key, was, now)
			}
		}
	})
}

// BenchmarkInsightReader is what opening a view costs, for 100 000 rows.
func BenchmarkInsightReader(b *testing.B) {
	m := hundredThousand(b, 120, 36)
	for b.Loop() {
		m.insights = reading.NewReader(m.ctx, m.src)
		m.view = nil
		openView(b, m, "t")
	}
}

// BenchmarkViewOpen is one frame of the screen with a view open.
func BenchmarkViewOpen(b *testing.B) {
	m := hundredThousand(b, 120, 36)
	openView(b, m, "t")
	for b.Loop() {
		m.Update(keyPress("j"))
		m.dirty = true
		m.View()
	}
}

// openView opens a view and waits until it knows everything.
func openView(b *testing.B, m *Model, key string) {
	m.list.Rec.Live, m.list.Rec.Loading = false, 1 // no timers
	_, cmd := m.Update(keyPress(key))
	for todo := []tea.Cmd{cmd}; len(todo) > 0; todo = todo[1:] {
		if todo[0] == nil {
			continue
		}
		msg := todo[0]()
		if batch, ok := msg.(tea.BatchMsg); ok {
			todo = append(todo, batch...)
			continue
		}
		_, next := m.Update(msg)
		todo = append(todo, next)
	}
	if n := m.insights.Taken(); n != len(m.list.Rec.Frames) {
		b.Fatalf("%d of %d frames", n, len(m.list.Rec.Frames))
	}
}
