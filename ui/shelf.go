package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/library"
)

const (
	shelfSlice = 60 * time.Millisecond // of reading before the screen is told
	shelfMost  = 8192                  // the same as a number of frames
	shelfPause = 250 * time.Millisecond
)

// question is what a view wants to know. Two that are equal have the same
// answer as long as no frame comes.
type question struct {
	rec  *library.Recording
	of   area
	in   int // session, wholeRecording or looseRows
	kind insight.Kind
	pick int // one session of in
}

// asker is a view that is answered by insights.
type asker interface {
	view
	// question is what the view wants to know now.
	question(m *Model) question
	// ask asks the book. It is called by a command and touches nothing else.
	ask(q question, b *insight.Book) any
	// take takes the answer in.
	take(m *Model, q question, answer any)
}

// shelf holds the insights of the recording that is shown. They are gathered
// when a view wants to know something, by reading the recording once more, and
// then kept up to date. While a command reads, the book is the command's.
type shelf struct {
	rec    *library.Recording
	book   *insight.Book // nil while a command has it
	gen    int
	at     int // frames of rec that were taken in
	bad    int // of them, those that could not be read
	why    string
	paused bool     // the screen was told a moment ago
	known  question // of the latest answer
	knowAt int      // frames that the latest answer knows
}

// shelfMsg brings the book back.
type shelfMsg struct {
	gen    int
	book   *insight.Book
	at     int
	bad    int
	why    string
	asked  question
	answer any // nil as long as there is more to read
}

// shelfPauseMsg ends a pause.
type shelfPauseMsg struct{}

func (shelfPauseMsg) take(m *Model) tea.Cmd {
	m.shelf.paused = false
	return nil
}

// reading says how far the recording was read, "" when it was to its end.
func (s *shelf) reading() safe.Text {
	if s.rec == nil || s.known.rec == s.rec && len(s.rec.Frames)-s.at < shelfMost {
		return ""
	}
	return "reading " + safe.Int(100*s.at/max(len(s.rec.Frames), 1)) + "%"
}

// refresh asks for what a view wants to know and does not know yet.
func (s *shelf) refresh(m *Model, v asker) tea.Cmd {
	q := v.question(m)
	if q.rec != s.rec {
		*s = shelf{rec: q.rec, gen: s.gen + 1}
		if q.rec != nil {
			s.book = insight.New(session.Options{Tap: q.rec.Tap})
		}
	}
	if s.rec == nil || s.book == nil || s.known == q && (s.knowAt == len(s.rec.Frames) || s.paused) {
		return nil
	}
	ns := make([]uint64, 0, shelfMost)
	for _, f := range s.rec.Frames[s.at:min(s.at+shelfMost, len(s.rec.Frames))] {
		ns = append(ns, uint64(f.N))
	}
	last := s.at+len(ns) == len(s.rec.Frames)
	job := shelfMsg{gen: s.gen, book: s.book, at: s.at, bad: s.bad, why: s.why, asked: q}
	s.book = nil
	ctx, src, id := m.ctx, m.src, s.rec.ID
	return func() tea.Msg { return job.run(ctx, src, id, v, ns, last) }
}

// run takes in some frames, and asks when there are no more. One that cannot
// be read is left out.
func (j shelfMsg) run(ctx context.Context, src Source, id string, v asker, ns []uint64, last bool) tea.Msg {
	began := time.Now()
	for i, n := range ns {
		if ctx.Err() != nil {
			return nil
		}
		if i > 0 && i%64 == 0 && time.Since(began) > shelfSlice {
			return j
		}
		f, err := src.Frame(id, n)
		if err != nil {
			j.bad, j.why = j.bad+1, err.Error()
		} else {
			f.N = n
			j.book.Apply(&f)
		}
		j.at++
	}
	if last {
		j.answer = v.ask(j.asked, j.book)
	}
	return j
}

func (j shelfMsg) take(m *Model) tea.Cmd {
	s := &m.shelf
	if j.gen != s.gen {
		return nil
	}
	s.book, s.at, s.bad, s.why = j.book, j.at, j.bad, j.why
	if j.answer == nil {
		return nil
	}
	v, ok := m.view.(asker)
	if !ok || v.question(m) != j.asked {
		return nil
	}
	s.known, s.knowAt = j.asked, j.at
	v.take(m, j.asked, j.answer)
	if !s.rec.Live && s.rec.Loading >= 1 || s.paused {
		return nil
	}
	s.paused = true
	return tea.Tick(shelfPause, func(time.Time) tea.Msg { return shelfPauseMsg{} })
}
