package news

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

var began = time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC)

// heard is a live recording with so many sessions, which begin at once.
func heard(label string, sessions int) *library.Recording {
	r := library.New(wire.Recording{ID: label, Label: label, Tap: "http", Live: true, Started: began}, nil, nil)
	var t scenes.Tape
	for i := range sessions {
		scenes.Session(&t, uint32(i+1), "id-"+string(rune('a'+i)), "client", "1")
	}
	for i := range t.Frames {
		r.Take(&wire.Tagged{Frame: t.Frames[i]})
	}
	return r
}

// find has something found in a recording.
func find(r *library.Recording, at time.Duration, severity diagnose.Severity, titles ...string) {
	r.Findings.Stamp++
	for _, title := range titles {
		r.Findings.All = append(r.Findings.All, &diagnose.Finding{
			Rule: &diagnose.Rule{ID: title, Title: title}, Severity: severity, Session: -1, T: int64(at), Frames: []uint64{7},
		})
	}
}

func scene() *library.Scene {
	th, sg := term.Coloured(true), term.Unicode()
	return &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}}
}

// TestLook: what is new, loud and elsewhere is told, with how many there are; nothing else is.
func TestLook(t *testing.T) {
	const at = 10 * time.Second
	nowhere := library.Scope{}
	for what, c := range map[string]struct {
		change func(r *library.Recording) library.Scope
		want   string // "" for no news
	}{
		"an error":    {func(r *library.Recording) library.Scope { find(r, at, diagnose.Error, "Lost"); return nowhere }, "✗ shop: Lost   ^n goes there"},
		"two of them": {func(r *library.Recording) library.Scope { find(r, at, diagnose.Error, "Lost", "Found"); return nowhere }, "shop: Found (+1)"},
		"a note":      {func(r *library.Recording) library.Scope { find(r, at, diagnose.Note, "Odd"); return nowhere }, ""},
		"long ago":    {func(r *library.Recording) library.Scope { find(r, at-recent, diagnose.Error, "Lost"); return nowhere }, ""},
		"nothing":     {func(*library.Recording) library.Scope { return nowhere }, ""},
		"on the screen": {func(r *library.Recording) library.Scope {
			find(r, at, diagnose.Error, "Lost")
			return library.Scope{Rec: r, Session: library.AllSessions}
		}, ""},
		"muted": {func(r *library.Recording) library.Scope {
			r.Findings.Muted = map[string]bool{"Lost": true}
			find(r, at, diagnose.Error, "Lost")
			return nowhere
		}, ""},
		"no longer live": {func(r *library.Recording) library.Scope {
			r.Live = false
			find(r, at, diagnose.Error, "Lost")
			return nowhere
		}, ""},
	} {
		f, r := NewFeed(began), heard("shop", 0)
		f.Look(r, nowhere, began.Add(at-time.Second))
		shown := c.change(r)
		told := f.Look(r, shown, began.Add(at))
		if told != (c.want != "") || told != f.Showing() {
			t.Errorf("%s: told %v", what, told)
		}
		if f.Look(r, shown, began.Add(at)) {
			t.Errorf("%s: it is told again", what)
		}
		if told {
			if box := drawn(t, &f, 60); !strings.Contains(box, c.want) {
				t.Errorf("%s: no %q in\n%s", what, c.want, box)
			}
		}
	}
}

// drawn is the box of the latest item, which has the cells that it says it has.
func drawn(t *testing.T, f *Feed, w int) string {
	t.Helper()
	box, wide := f.Draw(scene(), w, "^n")
	for _, l := range box {
		if n := ansi.StringWidth(l); n != wide || n > w {
			t.Errorf("%d cells, %d said, %d at most: %q", n, wide, w, ansi.Strip(l))
		}
	}
	return ansi.Strip(strings.Join(box, "\n"))
}

// TestSessionsAreNews: those that connect at once are all counted, and what is there when
// somebody begins to look is none.
func TestSessionsAreNews(t *testing.T) {
	f := NewFeed(began)
	if f.Look(heard("first", 2), library.Scope{}, began.Add(settling-1)) {
		t.Error("what was there is news")
	}
	if r := heard("second", 3); !f.Look(r, library.Scope{}, began.Add(settling)) {
		t.Error("sessions are no news")
	}
	if box := drawn(t, &f, 60); !strings.Contains(box, "connected (+2)") {
		t.Error(box)
	}
	n := f.Number()
	if f.Expire(n - 1); !f.Showing() {
		t.Error("the time of an earlier item ends it")
	}
	if f.Expire(n); f.Showing() {
		t.Error("it stays")
	}
	for want := 2; want >= 0; want-- { // one can go there later
		if it, ok := f.Latest(); !ok || it.Session != want {
			t.Errorf("%d %v, want %d", it.Session, ok, want)
		}
	}
	if _, ok := f.Latest(); ok {
		t.Error("there is no end of it")
	}
}

// TestNewsIsBounded: a recording that finds something all the time costs no more than the
// latest items, and the box stays in its place.
func TestNewsIsBounded(t *testing.T) {
	f, r := NewFeed(began), heard("shop", 0)
	for range 3 * most {
		find(r, 5*time.Second, diagnose.Warning, strings.Repeat("界 long ", 20))
		f.Look(r, library.Scope{}, began.Add(5*time.Second))
	}
	if len(f.items) != most {
		t.Errorf("%d items", len(f.items))
	}
	for _, w := range []int{30, 38, 80} {
		if box := drawn(t, &f, w); !strings.Contains(box, "^n goes there") {
			t.Errorf("%d cells: %s", w, box)
		}
	}
}

// TestAlert: an error elsewhere is told once, in the way that was chosen, and a ";" in it
// parts nothing; anything less is not told.
func TestAlert(t *testing.T) {
	for how, want := range map[string]string{
		"": "", "off": "", "bell": "\a",
		"osc9":   "\x1b]9;midwire: shop: Lost, and found\a",
		"osc777": "\x1b]777;notify;midwire;shop: Lost, and found\a",
	} {
		f, r := NewFeed(began), heard("shop", 0)
		find(r, 5*time.Second, diagnose.Warning, "Odd")
		f.Look(r, library.Scope{}, began.Add(5*time.Second))
		if got := f.Alert(how); got != "" {
			t.Errorf("%s, a warning: %q", how, got)
		}
		find(r, 5*time.Second, diagnose.Error, "Lost; and found")
		f.Look(r, library.Scope{}, began.Add(5*time.Second))
		if got := f.Alert(how); got != want {
			t.Errorf("%s: %q, want %q", how, got, want)
		}
		if got := f.Alert(how); got != "" {
			t.Errorf("%s, again: %q", how, got)
		}
	}
}

func TestTitle(t *testing.T) {
	a, b := heard("shop", 0), heard("past", 0)
	sg := term.Unicode()
	a.Findings.Total[diagnose.Error], b.Findings.Total[diagnose.Error], b.Live = 2, 5, false
	all := []*library.Recording{a, b}
	for want, got := range map[safe.Text]safe.Text{
		"midwire":           Title("midwire", nil, nil, &sg),
		"midwire ✗2":        Title("midwire", nil, all, &sg),
		"past - midwire ✗2": Title("midwire", b, all, &sg),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRate: the messages of the second before, a blank from what stands before them however
// many they are, and idle when none come any more.
func TestRate(t *testing.T) {
	text := func(r *Rate) string {
		var b strings.Builder
		for _, s := range r.Draw(&scene().Screen) {
			b.WriteString(string(s.Text))
		}
		return b.String()
	}
	var none Rate
	if none.Tick(); text(&none) != "" || none.Moves() {
		t.Errorf("there was none: %q", text(&none))
	}
	for n, want := range map[int]string{2: "   2/s ", 999: " 999/s ", 1234: " 1 234/s ", 27020: " 27 020/s ", 1234567: " 1 234 567/s "} {
		var r Rate
		r.Add(n)
		r.Tick()
		r.Add(1)
		if got := text(&r); !strings.HasPrefix(got, want) {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
		for range quiet {
			r.Add(0)
			r.Tick()
		}
		if r.Tick(); text(&r) != " idle" || r.Moves() {
			t.Errorf("%d, later: %q", n, text(&r))
		}
	}
}
