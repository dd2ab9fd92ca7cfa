package replaying

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"midwire/replay"
	"midwire/ui/library"
	"midwire/ui/term"
)

func risky() *backend {
	return &backend{result: outcomes(), plan: replay.Preview{
		Target: "node x.js", Dir: "/srv", Calls: 5, Others: 1, Subs: []string{"1 cursor"},
		Unmarked: []string{"delete_file"}, Left: 2, Remarks: []string{"a gap"},
	}}
}

// Calls of tools that are not marked read-only are made only when the user says
// so, and of what is sent only what is shown.
func TestToolsAreAskedAbout(t *testing.T) {
	for _, tt := range []struct {
		keys  string
		frame uint32
		sent  bool
		tools ToolChoice
	}{
		{"enter", 0, false, 0},
		{"esc", 0, false, 0},
		{"y", 0, true, AllTools},
		{"o", 0, true, ReadOnlyTools},
		{"o enter", 7, false, 0}, // there is nothing else to send
		{"y", 7, true, AllTools},
	} {
		with(t, risky(), func(h *program) {
			h.do(h.replays.Ask(Request{SessionRef: files, Frame: tt.frame}))
			contains(t, h.box(), "node x.js", "/srv", "5 calls, 1 other message", "1 cursor", "a gap", "2 calls of tools", "delete_file")
			h.press(strings.Fields(tt.keys)...)
			if got := h.by.asked; (len(got) == 1) != tt.sent || tt.sent && (got[0].Tools != tt.tools || got[0].Target != "node x.js" || got[0].Dir != "/srv") {
				t.Errorf("%s of #%d: %+v", tt.keys, tt.frame, got)
			}
		})
	}
}

// What the user said of tools holds for the recording, not for another one.
func TestAnswerIsRemembered(t *testing.T) {
	with(t, risky(), func(h *program) {
		h.do(h.replays.Ask(Request{SessionRef: files}))
		h.press("o")
		h.do(h.replays.Ask(Request{SessionRef: library.SessionRef{Recording: "files", Session: 2}}))
		contains(t, h.box(), "Left out, as you said", "delete_file")
		h.press("enter")
		h.do(h.replays.Ask(Request{SessionRef: files}))
		h.press("y")
		h.do(h.replays.Ask(Request{SessionRef: files}))
		contains(t, h.box(), "Called again, as you said")
		h.press("esc")
		h.do(h.replays.Ask(Request{SessionRef: pages}))
		contains(t, h.box(), "2 calls of tools that are not marked")
		var tools []ToolChoice
		for _, q := range h.by.asked {
			tools = append(tools, q.Tools)
		}
		if !slices.Equal(tools, []ToolChoice{ReadOnlyTools, ReadOnlyTools, AllTools}) {
			t.Errorf("%v", tools)
		}
	})
}

// A call goes without a question only to where the user sent it before.
func TestKnownCallIsSentAtOnce(t *testing.T) {
	with(t, &backend{result: outcomes(), plan: replay.Preview{Target: "http://a"}}, func(h *program) {
		call := Request{SessionRef: files, Frame: 10}
		h.do(h.replays.Ask(call))
		contains(t, h.box(), "Send #10 of notes-files again", "e edit")
		h.press("enter")
		h.do(h.replays.Ask(call))
		if len(h.by.asked) != 2 || h.dialog {
			t.Fatalf("%+v, asked: %v", h.by.asked, h.dialog)
		}
		h.do(h.replays.Ask(Request{SessionRef: files})) // all of it is another thing
		if len(h.by.asked) != 2 || !h.dialog {
			t.Errorf("a session is replayed without a question: %+v", h.by.asked)
		}
	})
}

// All of a long command is on the screen before it runs, on the screen as large
// as it is then.
func TestLongCommandIsReadFirst(t *testing.T) {
	with(t, &backend{result: outcomes(), plan: replay.Preview{Target: strings.Repeat("innocent words ", 60) + "; rm -rf ~"}}, func(h *program) {
		h.h = 9
		h.do(h.replays.Ask(Request{SessionRef: files}))
		contains(t, h.box(), "more lines below", "enter read on")
		h.press("y", "o")
		for i := 0; i < 30 && !strings.Contains(h.box(), "rm -rf ~"); i++ {
			h.press("enter")
		}
		if len(h.by.asked) > 0 {
			t.Fatal("it ran before it was read")
		}
		h.press("enter", "pgup", "k", "j") // the lines behind it
		h.w, h.h = 60, 8
		if contains(t, h.box(), "read on"); len(h.by.asked) > 0 {
			t.Fatal("it ran")
		}
		for i := 0; i < 60 && len(h.by.asked) == 0; i++ {
			h.press("enter")
		}
		if len(h.by.asked) != 1 {
			t.Error("it never runs")
		}
	})
}

func TestWhatCannotBeSent(t *testing.T) {
	for name, by := range map[string]*backend{
		"missing": {plan: replay.Preview{Target: "http://a", Missing: "the header \x1b[2J is masked"}},
		"failed":  {planErr: errBroken},
	} {
		with(t, by, func(h *program) {
			h.do(h.replays.Ask(Request{SessionRef: files}))
			contains(t, h.box(), "It cannot be sent from here", "␛[2J")
			if h.press("enter", "y", "o"); len(by.asked) > 0 {
				t.Errorf("%s: %+v", name, by.asked)
			}
			if h.press("ctrl+c"); h.quits != 1 || h.dialog {
				t.Errorf("%s: ctrl+c quits %d times, dialog %v", name, h.quits, h.dialog)
			}
		})
	}
}

// Another target is planned for before it is sent to; esc undoes what was
// written.
func TestAnotherTarget(t *testing.T) {
	with(t, &backend{result: outcomes(), plan: replay.Preview{Target: "http://a"}}, func(h *program) {
		h.do(h.replays.Ask(Request{SessionRef: files}))
		h.press("t", "b", "q")
		if contains(t, h.box(), "http://abq", "enter this target"); !h.replays.Editing() {
			t.Error("it is not being written")
		}
		h.press("esc")
		contains(t, h.box(), "http://a ", "enter send")
		h.press("t", "b", "enter")
		contains(t, h.box(), "http://ab ")
		h.press("enter")
		if len(h.by.asked) != 1 || h.by.asked[0].Target != "http://ab" {
			t.Errorf("%+v", h.by.asked)
		}
		h.do(h.replays.Ask(Request{SessionRef: files}))
		contains(t, h.box(), "http://ab ")
	})
}

// A plan that comes after the user closed the question, or asked about something
// else, changes nothing.
func TestLatePlan(t *testing.T) {
	with(t, &backend{plan: replay.Preview{Target: "http://a"}}, func(h *program) {
		late := h.replays.Ask(Request{SessionRef: files, Frame: 3})
		contains(t, h.box(), "reading the recording")
		next := h.replays.Ask(Request{SessionRef: pages})
		h.do(late)
		contains(t, h.box(), "Replay notes-pages", "reading the recording")
		h.press("enter", "esc")
		if h.do(next); h.dialog || len(h.by.asked) > 0 {
			t.Errorf("dialog %v, %+v", h.dialog, h.by.asked)
		}
	})
}

// What came of a replay is shown, unless the user is busy; what did not come is
// said.
func TestEndOfAReplay(t *testing.T) {
	stopped := context.Canceled
	for _, tt := range []struct {
		name   string
		result *replay.Comparison
		err    error
		busy   bool
		shows  bool
		says   string
	}{
		{"all of it", outcomes(), nil, false, true, ""},
		{"while the user writes", outcomes(), nil, true, false, "the replay is over; alt+d shows what came of it"},
		{"a part", outcomes(), errBroken, false, true, "! the replay ended early: it is ␛[2J broken"},
		{"stopped", outcomes(), stopped, false, true, "the replay was stopped; this is what came until then"},
		{"stopped before anything", nil, stopped, false, false, "the replay was stopped"},
		{"nothing", &replay.Comparison{}, nil, false, false, "! it could not be replayed: nothing came of it"},
		{"failed", nil, errBroken, false, false, "! it could not be replayed: it is ␛[2J broken"},
	} {
		with(t, &backend{plan: replay.Preview{Target: "x"}}, func(h *program) {
			h.by.run = func(context.Context, Request, func(replay.Progress)) (*replay.Comparison, error) {
				return tt.result, tt.err
			}
			h.do(h.replays.Ask(Request{SessionRef: files}))
			h.writes = tt.busy
			h.press("enter")
			if h.last() != tt.says || (len(h.shown) == 1) != tt.shows || h.replays.Running() {
				t.Errorf("%s: %q, %d views, running %v", tt.name, h.said, len(h.shown), h.replays.Running())
			}
			if tt.busy {
				if h.replays.ShowLast(); h.top() != h.replays.Last {
					t.Errorf("%s: it is not kept", tt.name)
				}
			}
		})
	}
}

// progress is the status line of a replay under way.
func (h *program) progress() string {
	l := term.NewLine(h.w, h.Scene().Glyphs)
	h.replays.DrawProgress(l)
	return h.plain([]string{l.Finish()}, h.w)
}

// A replay says how far it is, and stops when the user says so twice.
func TestStop(t *testing.T) {
	with(t, &backend{plan: replay.Preview{Target: "x", Calls: 8}}, func(h *program) {
		h.by.run = func(ctx context.Context, _ Request, tell func(replay.Progress)) (*replay.Comparison, error) {
			tell(replay.Progress{Done: 2, All: 8})
			<-ctx.Done()
			return outcomes(), ctx.Err()
		}
		if h.replays.RunKey("esc") || h.replays.AskStop() {
			t.Error("what does not run is stopped")
		}
		h.do(h.replays.Ask(Request{SessionRef: files}))
		h.press("enter")
		contains(t, h.progress(), "0/8")
		h.pass()
		contains(t, h.progress(), "replaying 2/8 ━━━━━──", "esc stops it")
		if h.replays.WhyNotNow() == "" || h.replays.RunKey("x") || h.replays.RunKey("space") {
			t.Error("another replay could begin, or a key means something")
		}
		if !h.replays.RunKey("esc") {
			t.Fatal("esc does nothing")
		}
		contains(t, h.box(), "What was sent so far is recorded")
		if h.press("n"); !h.replays.Running() || h.dialog {
			t.Error("any key goes on")
		}
		h.replays.RunKey("ctrl+c")
		h.replays.Key(keyOf('y'))
		contains(t, h.progress(), "stopping")
		if h.replays.AskStop() {
			t.Error("it can be stopped twice")
		}
		h.do(nil)
		if h.replays.Running() || h.last() != "the replay was stopped; this is what came until then" || len(h.shown) != 1 {
			t.Errorf("%q", h.said)
		}
	})
}

// An editor that cannot be started, or a plan that fails, is said.
func TestEditorTrouble(t *testing.T) {
	with(t, &backend{planErr: errBroken}, func(h *program) {
		h.do(h.replays.Edit(Request{SessionRef: files, Frame: 3}))
		if h.last() != "! it cannot be edited: it is ␛[2J broken" {
			t.Errorf("%q", h.said)
		}
		h.start(h.replays.Edited(&editor{}, errors.New("no editor")))
		if h.last() != "! it cannot be edited: no editor" {
			t.Errorf("%q", h.said)
		}
	})
}
