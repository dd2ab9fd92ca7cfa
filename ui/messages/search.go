package messages

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/query"
)

const (
	searchPause = 80 * time.Millisecond // after the last key, before payloads are read
	searchSlice = 60 * time.Millisecond // of reading before the screen is told
	searchIDs   = 4096                  // the same as a number of rows
	searchAhead = 200_000               // rows looked at for such as need reading, in one go
)

// search asks the probes of a filter about the payloads of what the words of a
// row do not decide. One command at a time reads; what it finds comes in as
// messages, and those of an older search are dropped.
type search struct {
	query.Found
	Gen    int
	at     int      // ids of the scope that are done with
	again  []uint32 // ids that have changed since
	busy   bool     // a command is at work
	Failed int      // messages of which a probe could not say
	Why    string   // of the first of them
	ctx    context.Context
	cancel context.CancelFunc
}

// restart gives up what is being searched, and begins anew for a query.
func (s *search) restart(q *query.Query) {
	if s.cancel != nil {
		s.cancel()
	}
	*s = search{Gen: s.Gen + 1}
	if q != nil {
		s.Bits = make([][]uint64, len(q.Payloads))
	}
}

// Searching says whether payloads are still to be looked at.
func (l *List) Searching() bool {
	return l.Rec != nil && l.Query != nil && len(l.Query.Payloads) > 0 &&
		(l.Search.at < l.Total() || len(l.Search.again) > 0)
}

// Searched says how far the search has come.
func (l *List) Searched() safe.Text {
	return "searching " + safe.Int(100*l.Search.at/max(l.Total(), 1)) + "%"
}

// Work is how far what the list waits for has come, of 100: reading, filtering, searching;
// 0 of 0 where it waits for nothing.
func (l *List) Work() (done, all int) {
	switch {
	case l.loading():
		return int(l.Rec.Loading * 100), 100
	case l.Scanned < l.Total():
		return int(l.Progress() * 100), 100
	case l.Searching():
		return 100 * l.Search.at / max(l.Total(), 1), 100
	}
	return 0, 0
}

// HitsMsg brings what was found in a slice of the scope.
type HitsMsg struct {
	Gen    int
	Done   int // ids of the slice that were looked at
	Hits   []Hit
	left   []uint32 // of what was to be read again
	failed int
	why    string
}

// Hit is a text that was found in the payloads of an id.
type Hit struct {
	ID   uint32
	Text int
}

type wantedIn struct {
	id     uint32
	pos    int // in the scope
	frames [2]uint64
	batch  [2]int
	heads  [2]uint64 // of HTTP, where a probe asks for them
	open   [2]func(*wire.Frame) []byte
}

// payloads reads the frames of recordings. It is called by commands.
type payloads interface {
	Frame(rec string, n uint64) (wire.Frame, error)
}

// SearchStep sets the next slice going when none is, and says whether what is
// shown has changed.
func (l *List) SearchStep(ctx context.Context, src payloads) (cmd tea.Cmd, changed bool) {
	s := &l.Search
	if s.busy || !l.Searching() || l.Scanned < l.Total() {
		return nil, false
	}
	first := s.ctx == nil
	if first {
		s.ctx, s.cancel = context.WithCancel(ctx)
	}
	todo, end := l.changedSince(), s.at
	again := len(todo) > 0
	if !again {
		todo, end = l.slice(s.at)
	}
	if len(todo) == 0 {
		s.at, changed = end, true
		if end == l.Total() {
			return nil, true
		}
	}
	s.busy = true
	ctx, rec, probes, gen := s.ctx, l.Rec.ID, l.Query.Payloads, s.Gen
	return func() tea.Msg {
		if first && !rest(ctx, searchPause) {
			return nil
		}
		msg := HitsMsg{Gen: gen, Done: end}
		if at := len(todo); at > 0 {
			at = readSlice(ctx, src, rec, probes, todo, &msg)
			for _, w := range todo[at:] { // the time was up
				if again {
					msg.left = append(msg.left, w.id)
				} else {
					msg.Done = min(msg.Done, w.pos)
				}
			}
		}
		return msg
	}, changed
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
func (l *List) slice(from int) (todo []wantedIn, end int) {
	total := l.Total()
	for end = from; end < total && end-from < searchAhead && len(todo) < searchIDs; end++ {
		if w, ok := l.unread(l.IDAt(end)); ok {
			w.pos = end
			todo = append(todo, w)
		}
	}
	return todo, end
}

func (l *List) changedSince() (todo []wantedIn) {
	s := &l.Search
	n := min(len(s.again), searchIDs)
	slices.Sort(s.again[:n])
	for _, id := range slices.Compact(s.again[:n]) {
		if w, ok := l.unread(id); ok {
			todo = append(todo, w)
		}
	}
	s.again = s.again[n:]
	return todo
}

// unread says what must be read to decide about an id; ok is false when
// nothing must.
func (l *List) unread(id uint32) (w wantedIn, ok bool) {
	s := l.subject(id)
	if !l.Query.Undecided(s) {
		return w, false
	}
	w = wantedIn{id: id, frames: [2]uint64{uint64(s.Row.Request), uint64(s.Row.Response)}}
	w.batch = [2]int{int(s.Row.Batch), int(s.Row.RBatch)}
	if h, has := l.Rec.Heads[s.Row.X]; has && l.Query.ReadsHeads {
		w.heads = [2]uint64{h.Req, h.Resp}
	}
	for i, n := range w.frames {
		w.open[i] = l.Rec.Tracker.Decoder(uint32(n))
	}
	return w, true
}

// readSlice asks the probes until the time is up, and returns how far it came.
// Frames that cannot be read hold nothing. What was not begun is left to the
// next slice, so one id is read whole.
func readSlice(ctx context.Context, src payloads, rec string, probes []query.PayloadMatcher,
	todo []wantedIn, msg *HitsMsg,
) int {
	began := time.Now()
	for i, w := range todo {
		if ctx.Err() != nil || i > 0 && time.Since(began) > searchSlice {
			return i
		}
		w.read(ctx, src, rec, probes, msg)
	}
	return len(todo)
}

func (w *wantedIn) read(ctx context.Context, src payloads, rec string, probes []query.PayloadMatcher, msg *HitsMsg) {
	for i, n := range w.frames {
		if n == 0 {
			continue
		}
		f, err := src.Frame(rec, n)
		if err != nil {
			continue
		}
		m := query.Payload{Frame: &f, Open: w.open[i], Batch: w.batch[i]}
		for k := range probes {
			has, err := probes[k].Match(ctx, &m)
			if has {
				msg.Hits = append(msg.Hits, Hit{w.id, k})
			}
			if err != nil && ctx.Err() == nil {
				if msg.failed++; msg.why == "" {
					msg.why = err.Error()
				}
			}
		}
	}
	for _, n := range w.heads {
		if n == 0 {
			continue
		}
		f, err := src.Frame(rec, n)
		if err != nil {
			continue
		}
		for k := range probes {
			if probes[k].LooksInHeads() && probes[k].MatchHead(f.Data) {
				msg.Hits = append(msg.Hits, Hit{w.id, k})
			}
		}
	}
}

// TakeHits takes in what was found in a slice.
func (l *List) TakeHits(msg HitsMsg) {
	if msg.Gen != l.Search.Gen {
		return
	}
	l.Search.busy = false
	l.Search.again = append(l.Search.again, msg.left...)
	l.Search.at = max(l.Search.at, msg.Done)
	if l.Search.Failed += msg.failed; l.Search.Why == "" {
		l.Search.Why = msg.why
	}
	var ids []uint32
	for _, h := range msg.Hits {
		if l.Search.Set(h.Text, h.ID) && (len(ids) == 0 || ids[len(ids)-1] != h.ID) {
			ids = append(ids, h.ID)
		}
	}
	l.review(ids)
}

// Recheck has the payloads of rows read again of which something has just come,
// and which the search may have passed already.
func (l *List) Recheck(rows []int) {
	if l.Query == nil || len(l.Query.Payloads) == 0 {
		return
	}
	for _, r := range rows {
		if id := uint32(r); l.Search.at > 0 && l.InScope(id) {
			l.Search.again = append(l.Search.again, id)
		}
	}
}

// review decides anew about some ids, in ascending order.
func (l *List) review(ids []uint32) {
	if len(ids) == 0 {
		return
	}
	defer l.inOrder()()
	at, _ := slices.BinarySearch(l.Visible, ids[0])
	tail := slices.Clone(l.Visible[at:])
	l.Edits++
	l.Visible = l.Visible[:at]
	for len(ids) > 0 || len(tail) > 0 {
		switch {
		case len(ids) == 0 || len(tail) > 0 && tail[0] < ids[0]:
			l.Visible = append(l.Visible, tail[0])
			tail = tail[1:]
			continue
		case len(tail) > 0 && tail[0] == ids[0]:
			tail = tail[1:]
		}
		if l.Shows(ids[0]) {
			l.Visible = append(l.Visible, ids[0])
		}
		ids = ids[1:]
	}
	if l.Follow {
		l.toEnd()
	}
}
