package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/view/insight"
)

// lostDocument is a recording of three clients that pass a document on, until
// the server has forgotten it.
func lostDocument() *fakeSource {
	return having(Recording{ID: "lost", Label: "documents", Tap: "http", Where: "http://localhost:3000"}, handlesScene())
}

func TestHandleScreens(t *testing.T) {
	for name, keys := range map[string][]string{
		"handles-lost":    {"H", "g"},
		"handles-leftout": {"H", "g", "j"},
	} {
		screens(t, "view-"+name, func(t *testing.T, w, h int) *driver {
			d := drive(t, lostDocument(), Options{}, w, h)
			d.press(keys...)
			return d
		})
	}
}

// choose selects the message of frame n among the messages.
func (d *driver) choose(n uint64) {
	d.m.list.Selection = uint32(d.m.list.Rec.RowAt(n))
	d.m.list.Pause()
	d.send()
}

// TestHandlesStory follows a handle from the message that failed to the one that
// issued it, and back: two keys each.
func TestHandlesStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lostDocument(), Options{}, 120, 36)
		d.choose(67) // the writer's call that fails
		d.press("H")
		d.want("doc-f7170c5aa690", "2 of 6 refused", "last good use #57, gone by #67", "6 uses in 3 sessions",
			"#14 response, where it was issued", "refused from #67 on, 806ms later")
		if line := d.selectedLine(); !strings.Contains(line, "doc-f7170c5aa690") {
			t.Errorf("%s is selected, not the handle of the message", line)
		}
		d.press("enter")
		if row := d.m.list.Rec.Tracker.Row(d.m.selectedRow()); row.Response != 14 {
			t.Errorf("enter went to #%d, not to who issued it", row.Request)
		}
		d.want("esc handles")
		d.press("esc", "esc")
		d.choose(14)
		d.press("H", "enter")
		if row := d.m.list.Rec.Tracker.Row(d.m.selectedRow()); row.Request != 67 {
			t.Errorf("enter went to #%d, not to the first message that was refused", row.Request)
		}
		d.press("esc")
		d.want("▸ handles", "2 of 6 refused")
		d.press("n")
		d.want("#72 request, where it was refused")
		d.press("N", "N")
		d.want("#57 request, where it was used", `"session_id": "doc-f7170c5aa690"`)
		d.press("f")
		d.want("text:doc-f7170c5aa690", "esc handles")
	})
}

// TestRefusedSessionID: a session id that the server does not know any more is no
// good handle.
func TestRefusedSessionID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		const id = "Mcp-Session-Id: 5e55ed01\r\n"
		tape.Post(1, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"night","version":"1"}}}`).
			Answer(3, "200 OK", id, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
		tape.Post(1, "/mcp", id, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Answer(3, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
		tape.Post(1, "/mcp", id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`).
			Answer(3, "404 Not Found", "", `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Session not found"}}`)
		s := having(Recording{ID: "a", Label: "night", Tap: "http"}, tape.Frames)
		d := drive(t, s, Options{}, 120, 36)
		d.press("H")
		d.want("1 of 2 refused", "✗ refused", "◆✓✗", "last good use #7, gone by #12")
		d.wantNot("✓ session id")
		d.press("enter")
		d.want("Session not found")
	})
}

// TestUnknownIssuer says that nothing issued a value while it was recorded.
func TestUnknownIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		tape.Post(1, "/mcp", "Mcp-Session-Id: 5e55ed01\r\n", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).
			Answer(3, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
		s := having(Recording{ID: "a", Label: "middle", Tap: "http"}, tape.Frames)
		d := drive(t, s, Options{}, 120, 36)
		d.press("H")
		d.want("○ issuer not in this recording", "○✓")
	})
}

// TestManyHandleUses has a handle used more often than there is room for.
func TestManyHandleUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"open"}}`)
		tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":0,"result":{"structuredContent":{"job_id":"1a2b3c4d5e"}}}`)
		for i := range 200 {
			tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"poll","arguments":{"job_id":"1a2b3c4d5e"}}}`, i+1)
			tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i+1)
		}
		for _, w := range []int{120, 80, 40} {
			s := having(Recording{ID: "a", Tap: "stdio"}, tape.Frames)
			d := drive(t, s, Options{}, w, 36)
			d.press("H")
			d.want("used 200×")
			if w == 120 {
				d.want("200 uses in 1 session", "136 not listed", "13 of 201 drawn")
			}
		}
	})
}

// TestMarks: a pane that shows a message knows which handles it holds, where, and
// who issued them.
func TestMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lostDocument(), Options{}, 120, 36)
		rec := d.m.list.Rec
		marks := insight.NewMarks(d.m.insights)
		if marks.Of(rec, 0) != nil {
			t.Error("handles are known that were not asked for")
		}
		d.run(marks.Refresh(d.m))
		d.send()
		got := marks.Of(rec, rec.RowAt(67))
		if len(got) != 2 || got[0].Handle.Value != "doc-f7170c5aa690" || got[0].Issuer() != 14 || got[0].Session() != 0 || got[0].Issued {
			t.Fatalf("%+v", got)
		}
		f, err := d.m.src.Frame(rec.ID, got[0].N)
		if err != nil {
			t.Fatal(err)
		}
		from, to, ok := got[0].In(f.Data)
		if !ok || string(f.Data[from:to]) != "doc-f7170c5aa690" {
			t.Errorf("it stands at %d to %d, %v", from, to, ok)
		}
		d.m.visit(insight.NewHandlesAt(d.m.insights, &got[1]))
		d.send(nil)
		if line := d.selectedLine(); !strings.Contains(line, "269a0a…d176") {
			t.Errorf("%s is selected, not the session id of the writer", line)
		}
		if one := got[1]; one.Header() != "Mcp-Session-Id" || one.Session() != 1 {
			t.Errorf("%+v", one)
		}
		if got := marks.Of(rec, rec.RowAt(14)); len(got) != 2 || !slices.ContainsFunc(got, func(m insight.Mark) bool { return m.Issued }) {
			t.Errorf("%+v", got)
		}
	})
}

var underlined = regexp.MustCompile(`␛\[([0-9;]*;)?4(;[0-9;]*)?mdoc-f7170c5aa690`)

// TestHandleInMessage: a handle is underlined in the message that uses it; enter on
// it goes to who issued it, ' comes back, H shows all of its uses.
func TestHandleInMessage(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {160, 45}} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lostDocument(), Options{}, size[0], size[1])
			d.choose(67)
			d.press("3", "+")
			if !d.m.detail.GoToLink("doc-f7170c5aa690") {
				t.Fatalf("%v: the handle is not underlined", size)
			}
			d.m.dirty = true
			if !underlined.MatchString(d.colours()) {
				t.Errorf("%v: the handle is not drawn underlined", size)
			}
			if size[0] >= 100 {
				d.want("enter issued in #14  H its uses")
			}
			d.press("enter")
			if row := d.m.list.Rec.Tracker.Row(d.m.selectedRow()); row.Response != 14 {
				t.Errorf("%v: enter went to #%d, not to who issued it", size, row.Request)
			}
			if _, k := d.m.detail.led(); k == nil || !k.Issued || k.Handle.Value != "doc-f7170c5aa690" {
				t.Errorf("%v: the cursor is not where it was issued: %+v", size, k)
			}
			d.press("'")
			if row := d.m.list.Rec.Tracker.Row(d.m.selectedRow()); row.Request != 67 {
				t.Errorf("%v: ' went to #%d", size, row.Request)
			}
			d.m.detail.GoToLink("doc-f7170c5aa690")
			d.press("H")
			d.want("2 of 6 refused")
			if line := d.selectedLine(); !strings.Contains(line, "doc-f7170c5aa690") {
				t.Errorf("%v: H chose %s", size, line)
			}
			d.press("esc")
			if d.m.view != nil {
				t.Errorf("%v: esc leads to %s", size, d.m.view.Name())
			}
		})
	}
}
