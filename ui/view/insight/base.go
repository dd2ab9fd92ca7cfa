package insight

import (
	"context"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// Reader holds the insights of the recording that is shown.
type Reader = reading.Reader

type question = reading.Question

// NewReader reads frames from src until ctx ends.
func NewReader(ctx context.Context, src interface {
	Frame(rec string, n uint64) (wire.Frame, error)
},
) *Reader {
	return reading.NewReader(ctx, src)
}

// base is what the views that insights answer have in common.
type base struct {
	lines    view.Scroller
	reader   *Reader
	answered bool
	h        int // lines of what was drawn
}

// halves is what views share that have a list, and below it more about the line that
// is selected.
type halves struct {
	base
	below   view.Scroller
	reading bool // what is below has the focus
}

// Scroller implements view.View.
func (v *halves) Scroller() *view.Scroller {
	if v.reading {
		return &v.below
	}
	return &v.lines
}

// turn gives the focus to the other half.
func (v *halves) turn() { v.reading = !v.reading }

// Back implements view.Backer: it leads from below to the list.
func (v *halves) Back() bool {
	was := v.reading
	v.reading = false
	return was
}

// scopeWords says what a view is about, for the status line.
func scopeWords(s library.Scope) safe.Text {
	switch n := len(s.Rec.Tracker.Sessions()); {
	case s.Session == library.NoSession:
		return "what belongs to no session"
	case n > 1 && s.Session == library.AllSessions:
		return "the whole recording: " + term.Count(n, "session")
	case n > 1:
		return "one session of " + term.Number(n)
	}
	return "the whole recording"
}
