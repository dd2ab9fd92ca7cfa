package replaying

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// program is the rest of the program, as far as replaying knows of it: it notes
// what it is asked for.
type program struct {
	boxed     bool // there is room for boxes
	view.Host      // what replaying never asks for

	t       *testing.T
	replays *Replays
	by      *backend
	w, h    int
	recs    []*library.Recording
	dialog  bool
	writes  bool // the user is busy with something else
	said    []string
	shown   []view.View
	copied  string
	quits   int
	msgs    chan tea.Msg
}

// backend replays nothing: it says what the test wants to hear.
type backend struct {
	plan     replay.Preview
	planErr  error
	asked    []Request // by Run
	run      func(ctx context.Context, q Request, tell func(replay.Progress)) (*replay.Comparison, error)
	compared [][2]library.SessionRef
	result   *replay.Comparison
	err      error // of Compare and Lines
	lines    []replay.Line
	edited   []string // what the editor was given
}

func (b *backend) Plan(_ context.Context, q Request) (replay.Preview, error) {
	p := b.plan
	if q.Target != "" {
		p.Target = q.Target
	}
	return p, b.planErr
}

func (b *backend) Run(ctx context.Context, q Request, tell func(replay.Progress)) (*replay.Comparison, error) {
	b.asked = append(b.asked, q)
	if b.run != nil {
		return b.run(ctx, q, tell)
	}
	return b.result, b.err
}

func (b *backend) Compare(_ context.Context, x, y library.SessionRef) (*replay.Comparison, error) {
	b.compared = append(b.compared, [2]library.SessionRef{x, y})
	return b.result, b.err
}

func (b *backend) Lines(*replay.Comparison, int) ([]replay.Line, error) {
	return b.lines, b.err
}

func (b *backend) Edit(text []byte) Editor {
	b.edited = append(b.edited, string(text))
	return &editor{}
}

// editor is an editor in which the user wrote a text, nil before.
type editor struct{ text []byte }

func (e *editor) Run() error          { return nil }
func (e *editor) Text() []byte        { return e.text }
func (e *editor) SetStdin(io.Reader)  {}
func (e *editor) SetStdout(io.Writer) {}
func (e *editor) SetStderr(io.Writer) {}

var (
	files = library.SessionRef{Recording: "files", Session: -1}
	pages = library.SessionRef{Recording: "pages", Session: -1}
)

// with runs a test on a screen of 100x30 with two recordings.
func with(t *testing.T, by *backend, test func(h *program)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := &program{t: t, by: by, w: 100, h: 30, msgs: make(chan tea.Msg, 1000)}
		for i, id := range []string{"files", "pages"} {
			at := time.Date(2026, 11, 21, 10, 15+i, 0, 0, time.Local)
			h.recs = append(h.recs, library.New(wire.Recording{ID: id, Label: "notes-" + id, Tap: "stdio", Started: at}, nil))
		}
		h.replays = New(ctx, h, by)
		t.Cleanup(func() {
			cancel()
			time.Sleep(time.Minute) // of the bubble: lets commands end
		})
		test(h)
	})
}

func (h *program) Scene() *library.Scene {
	theme, glyphs := term.Basic(), term.Unicode()
	return &library.Scene{Screen: term.Screen{Boxed: h.boxed, Theme: &theme, Glyphs: &glyphs, Width: h.w, Height: h.h}, All: h.recs}
}

func (h *program) Open(v view.View) { h.shown = append(h.shown, v) }

func (h *program) Busy() view.Busy {
	switch {
	case h.dialog:
		return view.InReplay
	case h.writes:
		return view.Elsewhere
	}
	return view.Free
}

func (h *program) Do(what any) tea.Cmd {
	switch what := what.(type) {
	case Dialog:
		h.dialog = what.Open
	case CloseComparisons:
		h.shown = nil
	}
	return nil
}

func (h *program) Run(id string) tea.Cmd {
	if id == "global.interrupt" {
		h.quits++
		return nil
	}
	return h.Say(safe.Line("run " + id))
}

func (h *program) Copy(text, what string) tea.Cmd {
	h.copied = text
	return h.Say(safe.Line("copied " + what))
}

func (h *program) Say(text safe.Text) tea.Cmd {
	h.said = append(h.said, string(text))
	return nil
}

func (h *program) Complain(text safe.Text) tea.Cmd { return h.Say("! " + text) }

// do carries out a command, and whatever follows from it at once.
func (h *program) do(c tea.Cmd) {
	h.t.Helper()
	h.start(c)
	for {
		synctest.Wait()
		select {
		case msg := <-h.msgs:
			h.take(msg)
		default:
			return
		}
	}
}

func (h *program) start(c tea.Cmd) {
	if c != nil {
		go func() { h.msgs <- c() }()
	}
}

func (h *program) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			h.start(c)
		}
	case ProgressMsg:
		c, _ := h.replays.Progress(msg)
		h.start(c)
	case view.Then:
		h.start(msg(h))
	}
}

// pass lets time pass, so that progress is seen.
func (h *program) pass() {
	time.Sleep(2 * progressPause)
	h.do(nil)
}

// press sends keys to the dialog.
func (h *program) press(names ...string) {
	h.t.Helper()
	for _, name := range names {
		k := keyOf([]rune(name)[0])
		switch name {
		case "enter":
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			k = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "pgup":
			k = tea.KeyPressMsg{Code: tea.KeyPgUp}
		case "ctrl+c":
			k = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		if !h.dialog {
			h.t.Fatalf("%s is pressed, and no dialog is open", name)
		}
		h.do(h.replays.Key(k))
	}
}

func keyOf(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Text: string(r), Code: r} }

// command carries out what a view can do, unless it says why it cannot.
func (h *program) command(v view.View, id string) (why string) {
	h.t.Helper()
	for _, c := range v.Commands(h) {
		if c.ID != id {
			continue
		}
		if c.Why != nil && c.Why() != "" {
			return string(c.Why())
		}
		h.do(c.Run())
		return ""
	}
	h.t.Fatalf("there is no %s", id)
	return ""
}

// box is the text of the dialog, every line of which fits into its frame.
func (h *program) box() string {
	h.t.Helper()
	title, lines, w := h.replays.Box()
	if len(lines) > h.h-2 || w > h.w {
		h.t.Errorf("a box of %dx%d on a screen of %dx%d", w, len(lines)+2, h.w, h.h)
	}
	return string(title) + "\n" + h.plain(lines, w-2)
}

// drawn is the text of a view after it took in what is new, every line of which has the width.
func (h *program) drawn(v view.View) string {
	h.t.Helper()
	h.do(v.Refresh(h))
	lines := v.Draw(h, h.Scene(), h.w, h.h)
	if len(lines) != h.h {
		h.t.Errorf("%d lines, want %d", len(lines), h.h)
	}
	return h.plain(lines, h.w)
}

func (h *program) plain(lines []string, w int) string {
	h.t.Helper()
	for _, l := range lines {
		if n := ansi.StringWidth(l); n != w {
			h.t.Errorf("a line of %d cells, want %d: %q", n, w, ansi.Strip(l))
		}
	}
	text := ansi.Strip(strings.Join(lines, "\n"))
	if safe.Whole(strings.ReplaceAll(text, "\n", "")) != strings.ReplaceAll(text, "\n", "") {
		h.t.Errorf("not safe for a terminal: %q", text)
	}
	return text
}

// last is what was said last.
func (h *program) last() string {
	if len(h.said) == 0 {
		return ""
	}
	return h.said[len(h.said)-1]
}

// top is the view on top.
func (h *program) top() view.View {
	h.t.Helper()
	if len(h.shown) == 0 {
		h.t.Fatal("no view is open")
	}
	return h.shown[len(h.shown)-1]
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

var errBroken = errors.New("it is \x1b[2J broken")

// outcomes are a comparison with a call of each kind that matters.
func outcomes() *replay.Comparison {
	ok := replay.Response{There: true, Took: 40 * time.Millisecond, Body: []byte("{}")}
	slow := replay.Response{There: true, Took: 2 * time.Second, Body: []byte("{}")}
	bad := replay.Response{There: true, Failed: true, Took: time.Millisecond}
	return &replay.Comparison{
		First: "files", Second: "new-run", FirstName: "files", SecondName: "node x.js", Took: time.Second,
		Calls: []replay.Outcome{
			{Frame: 3, Session: 1, Method: "initialize", Was: ok, Now: ok},
			{
				Frame: 10, Session: 1, Method: "tools/call", Target: "search", Verdict: replay.Changed, Was: ok, Now: ok,
				Changes: []replay.Change{
					{Path: "result.text", Kind: "changed", Was: `"3 ` + "`" + `hits"`, Now: "\"4\x1b[31m\""},
					{Path: "result.more", Kind: "added", Now: "true"},
				},
				Schema: []string{"result.text is no number"},
			},
			{Frame: 12, Session: 1, Method: "ping", Was: ok, Now: ok},
			{Frame: 14, Session: 1, Method: "tools/call", Target: "index", Verdict: replay.Slower, Slower: true, Was: ok, Now: slow},
			{Frame: 18, Session: 1, Method: "resources/read", Target: "file:///x", Verdict: replay.Broken, Note: "error -32002", Was: ok, Now: bad},
			{Frame: 20, Session: 1, Method: "prompts/get", Verdict: replay.Missing, Was: ok},
		},
		Problems: []string{"the server asked roots/list\x1b[2J, which nobody recorded"},
		Remarks:  []string{"the recording has a gap"},
	}
}

// Arguments are texts; a number that is none is against the schema.
func (*backend) Arguments(_ []byte, all []Written) (arguments []byte, faults []string, err error) {
	object := map[string]string{}
	for _, one := range all {
		if object[one.Name] = one.Text; one.Text == "wrong" {
			faults = append(faults, "/"+one.Name+" is wrong")
		}
	}
	arguments, err = json.Marshal(object)
	return arguments, faults, err
}
