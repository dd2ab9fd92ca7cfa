// Package reading gathers what views want to know of a recording beyond its rows,
// by reading its frames once more.
package reading

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

const (
	readSlice = 60 * time.Millisecond // of reading before the screen is told
	readMost  = 8192                  // the same as a number of frames
	readPause = 250 * time.Millisecond
)

// Question is what a view wants to know. Two that are equal have the same
// answer as long as no frame comes.
type Question struct {
	library.Scope
	Kind insight.Kind
	Pick int // one session of the scope
}

// Asker is a view that a book answers.
type Asker interface {
	// Question is what the view wants to know now.
	Question(h view.Host) Question
	// Ask asks the book. It is called by a command and touches nothing else; what it
	// returns takes the answer in.
	Ask(q Question, b *insight.Book) func(h view.Host)
}

// Source reads frames. It is called from commands.
type Source interface {
	Frame(rec string, n uint64) (wire.Frame, error)
}

// Reader holds the book of the recording that is shown. It is filled when a view
// wants to know something, by reading the recording once more, and then kept up
// to date. While a command reads, the book is the command's.
type Reader struct {
	ctx context.Context
	src Source
	gathered
}

type gathered struct {
	rec    *library.Recording
	book   *insight.Book
	away   bool // a command has the book
	gen    int
	at     int // frames of rec that were taken in
	bad    int // of them, those that could not be read
	paused bool
	asker  Asker    // who asked last
	known  Question // of its latest answer
	knowAt int      // frames that the latest answer knows
}

// NewReader reads frames from src until ctx ends.
func NewReader(ctx context.Context, src Source) *Reader { return &Reader{ctx: ctx, src: src} }

// Taken is how many frames of the recording were read.
func (s *gathered) Taken() int { return s.at }

// progress says how far the recording was read, "" when it was to its end.
func (s *gathered) progress() safe.Text {
	if s.rec == nil || s.known.Rec == s.rec && len(s.rec.Frames)-s.at < readMost {
		return ""
	}
	return "reading " + safe.Int(100*s.at/max(len(s.rec.Frames), 1)) + "%"
}

// State is what a view says of the reading at the right of its title.
func (s *gathered) State(sc *library.Scene) []term.Seg {
	if t := s.progress(); t != "" {
		return []term.Seg{term.S(sc.Theme.Pend, t)}
	}
	if s.bad > 0 {
		return []term.Seg{term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "+term.Count(s.bad, "frame")+" could not be read")}
	}
	return nil
}

// Refresh asks for what a view wants to know and does not know yet.
func (s *Reader) Refresh(h view.Host, v Asker) tea.Cmd {
	q := v.Question(h)
	if q.Rec != s.rec {
		s.gathered = gathered{rec: q.Rec, gen: s.gen + 1}
		if q.Rec != nil {
			s.book = insight.New(session.Options{Tap: q.Rec.Tap})
		}
	}
	if v != s.asker {
		s.asker, s.known = v, Question{}
	}
	if s.rec == nil || s.away || s.known == q && (s.knowAt == len(s.rec.Frames) || s.paused) {
		return nil
	}
	ns := make([]uint64, 0, readMost)
	for _, f := range s.rec.Frames[s.at:min(s.at+readMost, len(s.rec.Frames))] {
		ns = append(ns, uint64(f.N))
	}
	job := readJob{
		of: s, gen: s.gen, id: s.rec.ID, book: s.book, at: s.at, bad: s.bad, v: v, asked: q,
		last: s.at+len(ns) == len(s.rec.Frames),
	}
	s.away = true
	return func() tea.Msg { return job.run(ns) }
}

// readJob reads, and brings the book back.
type readJob struct {
	of     *Reader
	gen    int
	id     string // of the recording
	book   *insight.Book
	at     int
	bad    int
	last   bool // of the frames there are
	v      Asker
	asked  Question
	answer func(h view.Host) // nil as long as there is more to read
}

// run takes in some frames, and asks when there are no more. One that cannot
// be read is left out.
func (j readJob) run(ns []uint64) tea.Msg {
	began := time.Now()
	for i, n := range ns {
		if j.of.ctx.Err() != nil {
			return nil
		}
		if i > 0 && i%64 == 0 && time.Since(began) > readSlice {
			return view.Then(j.taken)
		}
		if f, err := j.of.src.Frame(j.id, n); err != nil {
			j.bad++
		} else {
			f.N = n
			j.book.Apply(&f)
		}
		j.at++
	}
	if j.last {
		j.answer = j.v.Ask(j.asked, j.book)
	}
	return view.Then(j.taken)
}

func (j readJob) taken(h view.Host) tea.Cmd {
	s := j.of
	if j.gen != s.gen {
		return nil
	}
	s.away, s.at, s.bad = false, j.at, j.bad
	if j.answer == nil || j.v != s.asker || j.v.Question(h) != j.asked {
		return nil
	}
	s.known, s.knowAt = j.asked, j.at
	j.answer(h)
	if !s.rec.Live && s.rec.Loading >= 1 || s.paused {
		return nil
	}
	s.paused = true
	return view.After(readPause, func() { s.paused = false })
}
