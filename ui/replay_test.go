package ui

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/ui/library"
	"midwire/ui/replaying"
	"midwire/ui/view"
)

// rerun is a screen with something to replay.
func rerun(t *testing.T, f *fakeReplayer, opts Options, w, h int) *driver {
	opts.Replayer = f
	return drive(t, lively(), opts, w, h)
}

// moment lets time pass, so that progress and results arrive.
func (d *driver) moment() { d.pass(60 * time.Millisecond) }

func TestReplayScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"replay-prompt":  "R",
		"replay-target":  "R t x y",
		"replay-running": "R o",
		"replay-list":    "R y !over ]",
		"replay-only":    "R y !over f",
		"replay-help":    "R y !over ?",
		"replay-diff":    "R y !over ] enter n",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			f := newFakeReplayer()
			f.hold = make(chan struct{})
			d := rerun(t, f, Options{}, w, h)
			for k := range strings.FieldsSeq(keys) {
				if k == "!over" {
					close(f.hold)
				} else {
					d.press(k)
				}
				d.moment()
				for k == "R" && strings.Contains(keys, "R ") &&
					!strings.HasPrefix(keys, "R t") && strings.Contains(d.screen(), "read on") {
					d.press("enter")
				}
			}
			return d
		})
	}
}

func TestReplayLooks(t *testing.T) {
	for name, opts := range map[string]Options{"light": {Theme: "light"}, "nocolor": {NoColor: true}, "ascii": {NoColor: true, ASCII: true}} {
		for what, keys := range map[string][]string{"list": nil, "diff": {"]", "enter"}} {
			name := "look-replay-" + what + "-" + name
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := rerun(t, newFakeReplayer(), opts, 120, 24)
					d.press("R", "y")
					d.moment()
					d.press(keys...)
					got := d.m.View().Content
					if opts.NoColor && strings.Contains(got, ";38;") {
						t.Error("a hue where there may be none")
					}
					golden(t, name, d.colours())
				})
			})
		}
	}
}

func TestToolsAreAskedAboutOncePerSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		d := rerun(t, f, Options{}, 120, 36)
		d.press("R")
		d.want("2 calls of tools that are not marked read-only:", "delete_file, index_repo", "57 calls, 3 other messages", "1 cursor, 3 handles")
		d.press("enter")
		if len(f.asked) > 0 {
			t.Fatal("tools were called without having asked")
		}
		d.press("o")
		d.moment()
		d.press("esc", "R")
		d.want("Left out, as you said")
		d.press("enter")
		d.moment()
		if len(f.asked) != 2 || f.asked[0].Tools != replaying.ReadOnlyTools ||
			f.asked[1].Tools != replaying.ReadOnlyTools {
			t.Errorf("%+v", f.asked)
		}
	})
}

func TestReplayCanBeStopped(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c", "q"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeReplayer()
			f.hold = make(chan struct{})
			d := rerun(t, f, Options{}, 120, 36)
			d.press("R", "y")
			d.moment()
			d.want("replaying 12/57 ━━━━────", "esc stops it", "files-server ▸ messages")
			d.press(key)
			d.want("What was sent so far is recorded.")
			d.press("n")
			d.want("replaying 12/57")
			d.press(key, "y")
			d.want("the replay was stopped; this is what came until then", "search_files")
			d.wantNot("replaying")
		})
	}
}

func TestWhatCannotBeReplayedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		for _, key := range []string{"R", "r", "E", "d"} {
			d.press(key)
			d.want("replay is not available here")
		}
		f := newFakeReplayer()
		f.plan.Missing = "the recording masks header Authorization. Give it on the command line: midwire replay files"
		d = rerun(t, f, Options{}, 120, 36)
		d.press("R")
		d.want("It cannot be sent from here", "masks header Authorization", "midwire replay files")
		d.press("y", "enter", "o")
		if len(f.asked) > 0 {
			t.Error("it was sent all the same")
		}
		d.press("t")
		for range 30 {
			d.press("backspace")
		}
		d.typed("http://127.0.0.1:9/mcp")
		f.plan.Missing, f.plan.Remarks = "", []string{"session 1 began before the recording: a handshake is made for it"}
		d.press("enter")
		d.want("note       session 1 began before the recording")
		d.want("target     http://127.0.0.1:9/mcp")
		d.press("y")
		if len(f.asked) != 1 || f.asked[0].Target != "http://127.0.0.1:9/mcp" {
			t.Errorf("%+v", f.asked)
		}
		d = rerun(t, &fakeReplayer{planErr: errors.New("there is nothing in it that a client sent")}, Options{}, 120, 36)
		d.press("R")
		d.want("there is nothing in it that a client sent")
	})
}

// edit answers what the terminal library does with an editor.
func (d *driver) edit(f *fakeReplayer) {
	d.t.Helper()
	e := f.Edit(nil)
	f.edits = f.edits[:len(f.edits)-1]
	d.send(view.Then(func(view.Host) tea.Cmd { return d.m.replay.Edited(e, e.Run()) }))
}

func TestCallIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		f.plan.Unmarked = nil
		d := rerun(t, f, Options{}, 120, 36)
		d.press("/")
		d.typed("search_files")
		d.press("enter", "g", "r")
		d.want("of files-server again", "sends      2 calls", "enter send", "e edit")
		d.press("enter")
		d.moment()
		d.press("esc", "r") // the same again is known
		d.moment()
		if len(f.asked) != 2 || f.asked[1].Frame == 0 ||
			f.asked[1].Frame != f.asked[0].Frame || f.asked[0].Session != 0 {
			t.Fatalf("%+v", f.asked)
		}
		d.press("esc", "esc", "g", "j", "r")
		d.want("only a request of the client can be sent again")
	})
}

func TestEditedCallIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		f.plan.Unmarked = nil
		d := rerun(t, f, Options{}, 120, 36)
		d.press("/")
		d.typed("search_files")
		d.press("enter", "g", "E")
		if len(f.edits) != 1 || !strings.Contains(f.edits[0], "\n  \"arguments\": {\n") {
			t.Fatalf("the editor was given %q", f.edits)
		}
		f.typed = []string{"{\n  \"name\": \"search_files\",\n  \"arguments\": {,}\n}\n"}
		d.edit(f)
		d.want("line 3, column 17", `"arguments": {,}`, "^", "edit again")
		d.press("e")
		if f.edits[1] != "{\n  \"name\": \"search_files\",\n  \"arguments\": {,}\n}\n" {
			t.Errorf("the editor was given %q", f.edits[1])
		}
		f.typed = []string{"[1]\n"}
		d.edit(f)
		d.want("have to be a JSON object")
		f.typed = []string{"{\"name\": \"search_files\"}\n"}
		d.edit(f)
		d.want("again, edited")
		d.press("enter")
		d.moment()
		d.want("▸ replay, edited")
		d.press("]", "[", "e")
		if last := f.edits[len(f.edits)-1]; len(f.edits) != 3 || !strings.Contains(last, "arguments") {
			t.Errorf("the editor was given %q", f.edits)
		}
		if len(f.asked) != 1 || !bytes.Equal(f.asked[0].Params, []byte(`{"name": "search_files"}`)) {
			t.Errorf("%+v", f.asked)
		}
	})
}

func TestIgnoredPathIsGreyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		d := rerun(t, f, Options{}, 120, 36)
		d.press("R", "y")
		d.moment()
		d.press("]", "]", "]", "enter")
		d.want("▌-       \"text\": \"3 matches\"", "~     \"took_ms\": 371  ignored: a time", "1 path ignored", "of 3", `␛[31m`)
		d.press("y")
		d.want("sent to the terminal's clipboard: difference")
		d.press("]", "esc")
		d.want("sort weight", "Before and after", "extra  #24 ping")
	})
}

func TestTwoSessionsAreCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		d := rerun(t, f, Options{}, 120, 36)
		d.press("d")
		d.want("files-server is marked")
		d.press("d")
		d.want("is not marked any more")
		d.press("d", "1", "j", "d")
		d.moment()
		if len(f.compared) != 1 || f.compared[0][0].Recording != "files" || f.compared[0][1].Recording != "http" {
			t.Fatalf("%+v", f.compared)
		}
		d.want("compared with")
		d.press("r")
		d.want("two recordings were compared")
		d.press("esc")
		d.wantNot("compared with")
		d.press("2", "alt+d")
		d.want("compared with")
		d.press("esc", "D") // the one that works is found by itself
		d.moment()
		if len(f.compared) != 2 || f.compared[1][0] != (library.SessionRef{}) || f.compared[1][1].Recording == "" {
			t.Fatalf("%+v", f.compared)
		}
		d.want("compared with")
	})
}

func TestSessionsAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		f.result.Calls[3].Session = 2
		d := rerun(t, f, Options{}, 120, 36)
		d.press("R", "y")
		d.moment()
		d.want("#10 s1")
		d.press("f", "G", "k")
		d.want("#12 s2")
	})
}

// A replay of a hundred thousand calls is drawn like one of ten.
func TestLongComparison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		for len(f.result.Calls) < 100_000 {
			f.result.Calls = append(f.result.Calls, f.result.Calls[0])
		}
		d := rerun(t, f, Options{}, 120, 36)
		d.press("R", "y")
		d.moment()
		d.want("99 993 same", "100 000 calls")
		d.press("G")
		d.want("! the server asked")
		d.press("f", "g", "y")
		d.want("sent to the terminal's clipboard: comparison")
	})
}

func TestReplayWithTheMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := rerun(t, newFakeReplayer(), Options{}, 120, 36)
		d.press("R", "y")
		d.moment()
		at := tea.MouseClickMsg{X: 20, Y: 14, Button: tea.MouseLeft}
		d.send(at)
		d.want("│ changed  #10 ")
		d.send(at)
		d.want("▸ #10 tools/call search_files", "BEFORE")
		d.send(tea.MouseWheelMsg{X: 20, Y: 5, Button: tea.MouseWheelDown})
		d.press("esc")
		d.want("sort weight")
		d.press("esc")
		d.want("files-server ▸ messages")
	})
}

// A asks about a request that failed, after it said what will be sent; what came of it is
// shown, and noted.
func TestTheServerIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		d := rerun(t, f, Options{}, 120, 36)
		d.press("k", "A")
		d.moment()
		d.want("Ask about #", "a handshake and tools/list, in at most 24")
		if len(f.asked) != 0 {
			t.Fatal("something was sent before it was shown")
		}
		d.press("y")
		d.moment()
		if len(f.asked) != 1 || !f.asked[0].Probe || f.asked[0].Frame == 0 {
			t.Fatalf("%+v", f.asked)
		}
		d.press("esc", "j", "A")
		d.want("choose a request that failed")
	})
}

// TestToolIsCalledByItsSchema: the arguments of a tool that was never called are asked for
// by its schema, by keys and by mouse; what it has against them is said once.
func TestToolIsCalledByItsSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "d", Label: "documents", Tap: "http", Live: true}, insightScene())
		f := newFakeReplayer()
		f.plan.Unmarked = nil
		d := drive(t, s, Options{Replayer: f}, 120, 36)
		d.press("t", "r")
		d.want("Call edit_document", "▌session_id*", " text*", "string", "enter send")
		d.typed("wrong")
		d.press("enter")
		d.want("/session_id is wrong", "send it all the same")
		d.press("backspace", "x", "tab")
		d.wantNot("is wrong")
		d.send(tea.PasteMsg{Content: "two\nwords"})
		d.want("▌text*")
		box := d.m.dialog.at
		d.send(tea.MouseClickMsg{X: box.X + 5, Y: box.Y + 1, Button: tea.MouseLeft})
		d.want("▌session_id*")
		d.send(tea.MouseClickMsg{X: box.X + 5, Y: box.Y + box.H - 2, Button: tea.MouseLeft})
		d.want("Call edit_document of documents")
		d.press("enter")
		if len(f.asked) != 1 || f.asked[0].Tool != "edit_document" || string(f.asked[0].Params) != `{"session_id":"wronx","text":"two words"}` {
			t.Fatalf("%+v", f.asked)
		}
		if row := d.m.list.Rec.Tracker.Row(d.m.list.Rec.RowAt(uint64(f.asked[0].Frame))); d.m.list.Rec.Tracker.Name(row.Name) != "tools/list" {
			t.Errorf("it stands for #%d", f.asked[0].Frame)
		}
	})
}

// A failed call offers what can be done about it before all else; a call that was served does not.
func TestFailureOffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, w := range []int{80, 120} {
			d := rerun(t, newFakeReplayer(), Options{}, w, 36)
			d.press("[")
			d.want("enter open  A ask again  r E resend, edit  D compare")
			d.press("k", "k")
			d.wantNot("A ask again", "D compare")
		}
	})
}
