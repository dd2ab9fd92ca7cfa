package ui

import (
	"bytes"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/session/wire"
)

const (
	searchPause = 80 * time.Millisecond // after the last key, before payloads are read
	searchSlice = 60 * time.Millisecond // of reading before the screen is told
	searchIDs   = 4096                  // the same as a number of rows
	searchAhead = 200_000               // rows looked at for such as need reading, in one go
)

// found is which payloads hold which text, one bit for each id.
type found struct {
	bits [][]uint64 // by text
}

func (f *found) has(text int, id uint32) bool {
	if f == nil || text >= len(f.bits) {
		return false
	}
	b := f.bits[text]
	return int(id/64) < len(b) && b[id/64]&(1<<(id%64)) != 0
}

// set notes a hit and says whether it is new.
func (f *found) set(text int, id uint32) bool {
	if f.has(text, id) {
		return false
	}
	b := f.bits[text]
	if n := int(id/64) + 1; n > len(b) {
		b = append(b, make([]uint64, n-len(b))...)
	}
	b[id/64] |= 1 << (id % 64)
	f.bits[text] = b
	return true
}

// search looks for the texts of a filter in the payloads of what the words of
// a row do not decide. One command at a time reads; what it finds comes in as
// messages, and those of an older search are dropped.
type search struct {
	found
	gen    int
	at     int  // ids of the scope that are done with
	busy   bool // a command is at work
	ctx    context.Context
	cancel context.CancelFunc
}

// restart gives up what is being searched, and begins anew for a query.
func (s *search) restart(q *query) {
	if s.cancel != nil {
		s.cancel()
	}
	*s = search{gen: s.gen + 1}
	if q != nil {
		s.bits = make([][]uint64, len(q.texts))
	}
}

// searching says whether payloads are still to be looked at.
func (l *list) searching() bool {
	return l.rec != nil && l.query != nil && len(l.query.texts) > 0 && l.search.at < l.total()
}

// searched says how far the search has come.
func (l *list) searched() safe.Text {
	return "searching " + safe.Text(itoa(100*l.search.at/max(l.total(), 1))) + "%"
}

// searchMsg brings what was found in a slice of the scope.
type searchMsg struct {
	gen  int
	done int // ids of the slice that were looked at
	hits []hit
}

type hit struct {
	id   uint32
	text int
}

// wantedIn is an id whose payloads are to be read.
type wantedIn struct {
	id     uint32
	pos    int // in the scope
	frames [2]uint64
}

// searchOn sets the next slice going when none is.
func (m *Model) searchOn() tea.Cmd {
	l := &m.list
	s := &l.search
	if s.busy || !l.searching() || l.scanned < l.total() {
		return nil
	}
	first := s.ctx == nil
	if first {
		s.ctx, s.cancel = context.WithCancel(m.ctx)
	}
	from := s.at
	todo, end := l.slice(from)
	if len(todo) == 0 {
		s.at = end
		m.dirty = true
		if end == l.total() {
			return nil
		}
	}
	s.busy = true
	ctx, src, rec, texts, gen := s.ctx, m.src, l.rec.ID, l.query.texts, s.gen
	return func() tea.Msg {
		if first && !rest(ctx, searchPause) {
			return nil
		}
		msg := searchMsg{gen: gen, done: end}
		if at := len(todo); at > 0 {
			at = readSlice(ctx, src, rec, texts, todo, &msg)
			if at < len(todo) {
				msg.done = todo[at].pos
			}
		}
		return msg
	}
}

// rest waits, and says whether ctx is still good.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// slice lists what must be read of the scope from a position on, and where
// the slice ends.
func (l *list) slice(from int) (todo []wantedIn, end int) {
	total := l.total()
	for end = from; end < total && end-from < searchAhead && len(todo) < searchIDs; end++ {
		id := l.at(end)
		s, ok := l.subject(id)
		if !ok || !l.query.undecided(s) {
			continue
		}
		w := wantedIn{id: id, pos: end, frames: [2]uint64{uint64(id)}}
		if !l.frames {
			w.frames = [2]uint64{uint64(s.row.Request), uint64(s.row.Response)}
		}
		todo = append(todo, w)
	}
	return todo, end
}

// readSlice looks for texts until the time is up, and returns how far it came.
// Frames that cannot be read hold nothing.
func readSlice(ctx context.Context, src Source, rec string, texts []string, todo []wantedIn, msg *searchMsg) int {
	began := time.Now()
	for i, w := range todo {
		if ctx.Err() != nil || i > 0 && time.Since(began) > searchSlice {
			return i
		}
		for _, n := range w.frames {
			if n == 0 {
				continue
			}
			f, err := src.Frame(rec, n)
			if err != nil {
				continue
			}
			eachText(texts, &f, func(text int) { msg.hits = append(msg.hits, hit{w.id, text}) })
		}
	}
	return len(todo)
}

// eachText calls yield for every text that a frame holds, whatever its case.
func eachText(texts []string, f *wire.Frame, yield func(int)) {
	low := bytes.ToLower(f.Data)
	for i, t := range texts {
		if bytes.Contains(low, []byte(t)) {
			yield(i)
		}
	}
}

func (m *Model) takeHits(msg searchMsg) tea.Cmd {
	l := &m.list
	if msg.gen != l.search.gen {
		return nil
	}
	l.search.busy = false
	l.search.at = max(l.search.at, msg.done)
	m.dirty = true
	var ids []uint32
	for _, h := range msg.hits {
		if l.search.set(h.text, h.id) && (len(ids) == 0 || ids[len(ids)-1] != h.id) {
			ids = append(ids, h.id)
		}
	}
	l.review(ids)
	return nil
}

// note looks into a frame that has just come, for rows which the search has
// passed already.
func (l *list) note(f *wire.Frame, rows []int) {
	if l.query == nil || len(l.query.texts) == 0 || l.frames {
		return
	}
	eachText(l.query.texts, f, func(text int) {
		for _, r := range rows {
			if row := l.rec.t.Row(r); uint64(row.Response) == f.N || uint64(row.Request) == f.N {
				l.search.set(text, uint32(r))
			}
		}
	})
}

// review decides anew about some ids, in ascending order.
func (l *list) review(ids []uint32) {
	if len(ids) == 0 {
		return
	}
	defer l.inOrder()()
	at, _ := slices.BinarySearch(l.vis, ids[0])
	tail := slices.Clone(l.vis[at:])
	l.vis = l.vis[:at]
	for len(ids) > 0 || len(tail) > 0 {
		switch {
		case len(ids) == 0 || len(tail) > 0 && tail[0] < ids[0]:
			l.vis = append(l.vis, tail[0])
			tail = tail[1:]
			continue
		case len(tail) > 0 && tail[0] == ids[0]:
			tail = tail[1:]
		}
		if l.shows(ids[0]) {
			l.vis = append(l.vis, ids[0])
		}
		ids = ids[1:]
	}
	if l.follow {
		l.toEnd()
	}
}
