package news

import (
	"strings"
	"testing"
	"time"

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
	r := library.New(wire.Recording{ID: label, Label: label, Tap: "http", Live: true, Started: began}, nil)
	var t scenes.Tape
	for i := range sessions {
		scenes.Session(&t, uint32(i+1), "id-"+string(rune('a'+i)), "client", "1")
	}
	for i := range t.Frames {
		r.Take(&wire.Tagged{Frame: t.Frames[i]})
	}
	return r
}

func scene() *library.Scene {
	th, sg := term.Coloured(true), term.Unicode()
	return &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}}
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
