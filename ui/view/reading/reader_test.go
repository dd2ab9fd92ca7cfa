package reading

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// pings is a recording of many frames; one that is asked for by its number cannot be read.
type pings struct {
	frames []wire.Frame
	bad    uint64
}

func (s *pings) Frame(_ string, n uint64) (wire.Frame, error) {
	if n == s.bad {
		return wire.Frame{}, errors.New("it has gone")
	}
	return s.frames[n-1], nil
}

// asker is a view that wants to know how many sessions there are.
type asker struct {
	q      Question
	asked  int
	answer int
}

func (a *asker) Question(view.Host) Question { return a.q }

func (a *asker) Ask(_ Question, b *insight.Book) func(view.Host) {
	a.asked++
	n := b.Sessions()
	return func(view.Host) { a.answer = n }
}

func opened(frames int) (*library.Recording, *pings) {
	src := &pings{frames: scenes.Pings(frames / 2)}
	rec := library.New(wire.Recording{ID: "p", Tap: "stdio"}, nil)
	for i := range src.frames {
		rec.Take(&wire.Tagged{Frame: src.frames[i]})
	}
	rec.Loading = 1
	return rec, src
}

// run carries out a command, and takes in what comes of it.
func run(cmd tea.Cmd) { cmd().(view.Then)(nil) }

// TestRefresh: a recording is read to its end a slice at a time, with how far that is, and
// then asked once; what cannot be read is left out and said.
func TestRefresh(t *testing.T) {
	rec, src := opened(2 * readMost)
	src.bad = 5
	s, a := NewReader(t.Context(), src), &asker{q: Question{Scope: library.Scope{Rec: rec}}}
	th, sg := term.Coloured(true), term.Unicode()
	state := func() string {
		var text strings.Builder
		for _, seg := range s.State(&library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}}) {
			text.WriteString(string(seg.Text))
		}
		return text.String()
	}
	steps := 0
	for cmd := s.Refresh(nil, a); cmd != nil; cmd = s.Refresh(nil, a) {
		if s.Refresh(nil, a) != nil {
			t.Fatal("two commands have the book")
		}
		if steps == 0 && state() != "reading 0%" {
			t.Errorf("state %q", state())
		}
		run(cmd)
		steps++
	}
	if s.Taken() != len(src.frames) || a.asked != 1 || a.answer != 1 || steps < 2 {
		t.Errorf("%d of %d taken in %d steps, asked %d times: %d sessions", s.Taken(), len(src.frames), steps, a.asked, a.answer)
	}
	if state() != string(sg.Warn)+" 1 frame could not be read" {
		t.Errorf("state %q", state())
	}
	a.q.Pick = 1 // another question of the same book
	for cmd := s.Refresh(nil, a); cmd != nil; cmd = s.Refresh(nil, a) {
		run(cmd)
	}
	if a.asked != 2 {
		t.Errorf("asked %d times", a.asked)
	}
}

// TestLeft: what a command brings of a recording, or for a question, that was left is
// dropped, and one whose screen has gone brings nothing.
func TestLeft(t *testing.T) {
	rec, src := opened(20)
	other, _ := opened(0)
	ctx, cancel := context.WithCancel(t.Context())
	s, a := NewReader(ctx, src), &asker{q: Question{Scope: library.Scope{Rec: rec}}}
	late := s.Refresh(nil, a)
	a.q.Rec = other
	s.Refresh(nil, a)
	if run(late); a.answer != 0 || s.Taken() != 0 {
		t.Errorf("%d taken, answer %d", s.Taken(), a.answer)
	}
	a.q.Rec = rec
	late = s.Refresh(nil, a)
	a.q.Pick = 1
	if run(late); a.answer != 0 || s.Taken() != len(src.frames) {
		t.Errorf("%d taken, answer %d", s.Taken(), a.answer)
	}
	if run(s.Refresh(nil, a)); a.answer != 1 {
		t.Errorf("answer %d", a.answer)
	}
	a.q.Rec = other
	s.Refresh(nil, a)
	a.q.Rec = rec
	late = s.Refresh(nil, a)
	if cancel(); late() != nil {
		t.Error("it reads for a screen that has gone")
	}
}
