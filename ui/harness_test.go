package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/defect"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/term"
)

// fakeSource delivers batches that a test pushes.
type fakeSource struct {
	ch   chan Batch
	recs map[string][]wire.Frame
}

func newFakeSource() *fakeSource {
	return &fakeSource{ch: make(chan Batch, 64), recs: map[string][]wire.Frame{}}
}

func (s *fakeSource) Next(ctx context.Context) (Batch, error) {
	select {
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	case b := <-s.ch:
		return b, nil
	}
}

func (s *fakeSource) Open(rec string) { s.ch <- Batch{Frames: tagged(rec, s.recs[rec])} }

func (s *fakeSource) Frame(rec string, n uint64) (wire.Frame, error) {
	if n == 0 || n > uint64(len(s.recs[rec])) {
		return wire.Frame{}, fmt.Errorf("frame %d is not in the recording", n)
	}
	return s.recs[rec][n-1], nil
}

func tagged(rec string, fs []wire.Frame) []Tagged {
	out := make([]Tagged, len(fs))
	for i, f := range fs {
		out[i] = Tagged{Rec: rec, Frame: f}
	}
	return out
}

func started() time.Time { return time.Date(2026, 11, 21, 10, 15, 0, 0, time.Local) }

func fixedNow() time.Time { return started().Add(12 * time.Second) }

// give delivers a recording as live with all its frames.
func (s *fakeSource) give(r Recording, fs []wire.Frame) {
	s.recs[r.ID] = fs
	r.Started = started()
	s.ch <- Batch{Recordings: []Recording{r}, Frames: tagged(r.ID, fs)}
}

// having is a source that has delivered one recording as live with all its frames.
func having(r Recording, fs []wire.Frame) *fakeSource {
	s := newFakeSource()
	s.give(r, fs)
	return s
}

// lively is a source with a stdio tap, an HTTP tap and a recording of the past.
func lively() *fakeSource {
	s := having(Recording{ID: "files", Label: "files-server", Tap: "stdio", Where: "node build/index.js", Live: true}, scenes.Stdio())
	s.give(Recording{ID: "http", Label: "pages", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000", Live: true}, scenes.HTTP())
	s.recs["old"] = scenes.HTTP()
	s.ch <- Batch{Recordings: []Recording{{
		ID: "old", Label: "pages", Tap: "http", Where: "http://localhost:3000",
		Started: started().Add(-20 * time.Hour), Size: 4000,
	}}}
	return s
}

// driver runs a model without a terminal, inside a synctest bubble: commands
// that wait for a timer wait until the test lets time pass.
type driver struct {
	t   testing.TB
	m   *Model
	ch  chan tea.Msg
	raw []string // written to the terminal besides the screen

	checked []string // lines of the latest screen, which were right
	covered bool     // something lay over it
}

func drive(t testing.TB, src Source, opts Options, w, h int) *driver {
	if opts.Now == nil {
		opts.Now = fixedNow
	}
	if opts.rules == nil {
		opts.rules = testRules()
	}
	if opts.Defect == nil {
		opts.Defect = func(x *defect.Defect) { t.Errorf("%v\n%s", x, x.Stack) }
	}
	d := &driver{t: t, m: New(src, opts), ch: make(chan tea.Msg, 10000)}
	t.Cleanup(func() {
		d.m.cancel()
		time.Sleep(time.Minute) // of the bubble: lets the timers of commands end
	})
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

func (d *driver) run(c tea.Cmd) {
	if c != nil {
		go func() { d.ch <- c() }()
	}
}

// send delivers messages, and then whatever the commands answer at once.
func (d *driver) send(msgs ...tea.Msg) {
	d.t.Helper()
	for _, msg := range msgs {
		d.update(msg)
	}
	for range 10_000 {
		synctest.Wait()
		select {
		case msg := <-d.ch:
			d.update(msg)
		default:
			return
		}
	}
	d.t.Fatal("it never comes to rest")
}

func (d *driver) update(msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			d.run(c)
		}
		return
	}
	if raw, ok := msg.(tea.RawMsg); ok {
		d.raw = append(d.raw, fmt.Sprint(raw.Msg))
		return
	}
	if _, ok := msg.(tea.WindowSizeMsg); ok {
		d.checked = nil
	}
	_, c := d.m.Update(msg)
	d.run(c)
	d.check()
}

// check holds for every screen: it has h lines of w cells. What lies over one
// leaves out the blanks at the end of its lines.
func (d *driver) check() {
	d.t.Helper()
	if d.m.w <= 0 {
		return
	}
	lines := strings.Split(d.m.View().Content, "\n")
	if len(lines) != d.m.h {
		d.t.Fatalf("%d lines on a screen of %d", len(lines), d.m.h)
	}
	covered := d.m.dialog.kind != noDialog || d.m.filter.Writing()
	if covered != d.covered {
		d.checked = nil
	}
	for i, l := range lines {
		if i < len(d.checked) && l == d.checked[i] {
			continue // most messages change little
		}
		if n := term.Counting().StringWidth(l); n > d.m.w || n < d.m.w && !covered {
			d.t.Fatalf("line %d is %d cells wide on a screen of %d:\n%s", i, n, d.m.w, ansi.Strip(l))
		}
	}
	d.checked, d.covered = lines, covered
}

// press sends keys, written as in the key map.
func (d *driver) press(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.send(keyPress(k))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace,
	}
	k := tea.KeyPressMsg{}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		k.Mod, name = tea.ModCtrl, rest
	} else if rest, ok := strings.CutPrefix(name, "alt+"); ok {
		k.Mod, name = tea.ModAlt, rest
	} else if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		k.Mod, name = tea.ModShift, rest
	}
	if c, ok := special[name]; ok {
		k.Code = c
		return k
	}
	if name == "space" {
		name = " "
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

func (d *driver) typed(s string) {
	for _, r := range s {
		if r == ' ' {
			d.press("space")
			continue
		}
		d.press(string(r))
	}
}

// screen is what is seen, without colours and trailing blanks.
func (d *driver) screen() string {
	lines := strings.Split(ansi.Strip(d.m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// colours is what the terminal gets, with its escapes to be read.
func (d *driver) colours() string {
	return strings.ReplaceAll(d.m.View().Content, "\x1b", "␛") + "\n"
}

func (d *driver) want(texts ...string) {
	d.t.Helper()
	s := d.screen()
	for _, want := range texts {
		if !strings.Contains(s, want) {
			d.t.Fatalf("%q is not on the screen:\n%s", want, s)
		}
	}
}

func (d *driver) wantNot(texts ...string) {
	d.t.Helper()
	s := d.screen()
	for _, want := range texts {
		if strings.Contains(s, want) {
			d.t.Fatalf("%q is on the screen:\n%s", want, s)
		}
	}
}
