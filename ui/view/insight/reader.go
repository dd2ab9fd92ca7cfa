package insight

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

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

// back leads from below to the list, and from there to the messages.
func (v *halves) back(h view.Host) func() tea.Cmd {
	return func() tea.Cmd {
		if v.reading {
			v.reading = false
			return nil
		}
		return h.Run("global.back")
	}
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

const (
	readSlice = 60 * time.Millisecond // of reading before the screen is told
	readMost  = 8192                  // the same as a number of frames
	readPause = 250 * time.Millisecond
)

// question is what a view wants to know. Two that are equal have the same
// answer as long as no frame comes.
type question struct {
	library.Scope
	kind insight.Kind
	pick int // one session of the scope
}

// asker is a view that is answered by insights.
type asker interface {
	// question is what the view wants to know now.
	question(h view.Host) question
	// ask asks the book. It is called by a command and touches nothing else.
	ask(q question, b *insight.Book) any
	// accept takes the answer in.
	accept(h view.Host, q question, answer any)
}

// frameSource reads frames. It is called from commands.
type frameSource interface {
	Frame(rec string, n uint64) (wire.Frame, error)
}

// Reader holds the insights of the recording that is shown. They are
// gathered when a view wants to know something, by reading the recording once
// more, and then kept up to date. While a command reads, the book is the
// command's.
type Reader struct {
	ctx context.Context
	src frameSource
	gathered
}

// gathered is what is known of one recording.
type gathered struct {
	rec    *library.Recording
	book   *insight.Book // nil while a command has it
	gen    int
	at     int // frames of rec that were taken in
	bad    int // of them, those that could not be read
	paused bool
	asker  asker    // who asked last
	known  question // of its latest answer
	knowAt int      // frames that the latest answer knows
}

// NewReader reads frames from src until ctx ends.
func NewReader(ctx context.Context, src frameSource) *Reader {
	return &Reader{ctx: ctx, src: src}
}

// Taken is how many frames of the recording were read.
func (s *gathered) Taken() int { return s.at }

// progress says how far the recording was read, "" when it was to its end.
func (s *gathered) progress() safe.Text {
	if s.rec == nil || s.known.Rec == s.rec && len(s.rec.Frames)-s.at < readMost {
		return ""
	}
	return "reading " + safe.Int(100*s.at/max(len(s.rec.Frames), 1)) + "%"
}

// state is what a view says of the reading at the right of its title.
func (s *gathered) state(sc *library.Scene) []term.Seg {
	if t := s.progress(); t != "" {
		return []term.Seg{term.S(sc.Theme.Pend, t)}
	}
	if s.bad > 0 {
		return []term.Seg{term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "+term.Count(s.bad, "frame")+" could not be read")}
	}
	return nil
}

// refresh asks for what a view wants to know and does not know yet.
func (s *Reader) refresh(h view.Host, v asker) tea.Cmd {
	q := v.question(h)
	if q.Rec != s.rec {
		s.gathered = gathered{rec: q.Rec, gen: s.gen + 1}
		if q.Rec != nil {
			s.book = insight.New(session.Options{Tap: q.Rec.Tap})
		}
	}
	if v != s.asker {
		s.asker, s.known = v, question{}
	}
	if s.rec == nil || s.book == nil || s.known == q && (s.knowAt == len(s.rec.Frames) || s.paused) {
		return nil
	}
	ns := make([]uint64, 0, readMost)
	parts := make([]uint16, 0, readMost)
	for _, f := range s.rec.Frames[s.at:min(s.at+readMost, len(s.rec.Frames))] {
		ns, parts = append(ns, uint64(f.N)), append(parts, f.Part)
	}
	job := readMsg{
		of: s, gen: s.gen, id: s.rec.ID, book: s.book, at: s.at, bad: s.bad, v: v, asked: q, parts: parts,
		last: s.at+len(ns) == len(s.rec.Frames),
	}
	s.book = nil
	return func() tea.Msg { return job.run(ns) }
}

// readMsg reads, and brings the book back.
type readMsg struct {
	of     *Reader
	gen    int
	id     string // of the recording
	book   *insight.Book
	at     int
	bad    int
	last   bool     // of the frames there are
	parts  []uint16 // of the recording that the frames are of
	v      asker
	asked  question
	answer any // nil as long as there is more to read
}

// run takes in some frames, and asks when there are no more. One that cannot
// be read is left out.
func (j readMsg) run(ns []uint64) tea.Msg {
	began := time.Now()
	for i, n := range ns {
		if j.of.ctx.Err() != nil {
			return nil
		}
		if i > 0 && i%64 == 0 && time.Since(began) > readSlice {
			return j
		}
		if f, err := j.of.src.Frame(j.id, n); err != nil {
			j.bad++
		} else {
			f.N = n
			j.book.ApplyOf(int(j.parts[i]), &f)
		}
		j.at++
	}
	if j.last {
		j.answer = j.v.ask(j.asked, j.book)
	}
	return j
}

func (j readMsg) Take(h view.Host) tea.Cmd {
	s := j.of
	if j.gen != s.gen {
		return nil
	}
	s.book, s.at, s.bad = j.book, j.at, j.bad
	if j.answer == nil || j.v != s.asker || j.v.question(h) != j.asked {
		return nil
	}
	s.known, s.knowAt = j.asked, j.at
	j.v.accept(h, j.asked, j.answer)
	if !s.rec.Live && s.rec.Loading >= 1 || s.paused {
		return nil
	}
	s.paused = true
	return tea.Tick(readPause, func(time.Time) tea.Msg { return readPausedMsg{s} })
}

// readPausedMsg ends a pause.
type readPausedMsg struct{ of *Reader }

func (msg readPausedMsg) Take(view.Host) tea.Cmd {
	msg.of.paused = false
	return nil
}
