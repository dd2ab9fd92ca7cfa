package sequence

import (
	"slices"
	"sort"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/timeline"
	"midwire/ui/library"
	"midwire/ui/messages"
)

// What the screen draws beside the arrows and notes of rows.
const (
	eventGap      timeline.Kind = 100 + iota // nothing was said for long
	eventPings                               // many in one
	eventProgress                            // likewise
	eventWaits                               // at the end: a call without an answer
)

type event struct {
	n    uint32 // frame; of a gap the one after it; of many the first
	last uint32 // of a gap the frame before it; of many the last
	row  int32  // of a gap how many calls are waited for; of progress the latest
	many uint16
	kind timeline.Kind
}

// eventLog is the events of a recording in the order of their frames. It is read
// by and by: a million messages have two million events.
type eventLog struct {
	rec      *library.Recording
	list     *messages.List
	fold     bool
	events   []event
	tail     []int32 // calls that wait for an answer, the latest of them
	folded   int     // pings that are in a line with others
	pings    int     // lines of them
	progress int
	next     int      // position in the frames
	rows     int      // up to here they have begun
	answered []uint64 // a bit for each row whose answer has an event
	open     []int32  // the latest calls without an answer
	time     int64    // of the latest event
	more     bool     // there are frames to be read
}

const everyone = -1

const (
	longGap   = 1e9 // nanoseconds
	maxOpen   = 64
	maxTail   = 6
	maxFolded = 1<<16 - 1
)

// read reads up to limit more frames.
func (s *eventLog) read(rec *library.Recording, l *messages.List, fold bool, limit int) {
	s.rec, s.list, s.fold = rec, l, fold
	end := min(len(rec.Frames), s.next+limit)
	for ; s.next < end; s.next++ {
		f := &rec.Frames[s.next]
		if f.Row < 0 {
			continue
		}
		if !l.Looked(uint32(f.Row)) {
			s.more = false // the filter has not come so far; it calls again
			return
		}
		s.begins(f)
		s.answers(f)
	}
	s.more = s.next < len(s.rec.Frames)
	s.waiting()
}

func (s *eventLog) has(row int) bool {
	return s.list.Has(uint32(row))
}

// begins adds the rows that a frame began: several when it was a batch.
func (s *eventLog) begins(f *library.FrameInfo) {
	for ; s.rows < s.rec.Tracker.Rows(); s.rows++ {
		row := s.rec.Tracker.Row(s.rows)
		if s.rows > int(f.Row) && row.Request != f.N {
			return
		}
		if !s.has(s.rows) {
			continue
		}
		e := event{n: row.Request, last: row.Request, row: int32(s.rows), many: 1}
		switch e.kind = timeline.Begin(row).Kind; e.kind {
		case timeline.Request:
			if s.open = append(s.open, e.row); len(s.open) > maxOpen {
				s.open = append(s.open[:0], s.open[1:]...)
			}
		case timeline.Response:
			e.kind = timeline.Notification // nothing is known that it responds to
		}
		name := s.rec.Tracker.Name(row.Name)
		switch {
		case s.fold && row.Kind == session.RowCall && name == mcp.Ping:
			e.kind = eventPings
		case s.fold && row.Kind == session.RowNotification && name == mcp.NotifyProgress:
			e.kind = eventProgress
		}
		s.add(e, row.T)
	}
}

// answers adds the answers that a frame brought: that of its row, and others
// when it was a batch.
func (s *eventLog) answers(f *library.FrameInfo) {
	s.answer(f.Row, f)
	for i := 0; i < len(s.open); i++ {
		if was := len(s.open); s.answer(s.open[i], f) && len(s.open) < was {
			i--
		}
	}
}

func (s *eventLog) answer(i int32, f *library.FrameInfo) bool {
	row := s.row(i)
	if row.Response == 0 || row.Response > f.N || row.Kind != session.RowCall && row.Kind != session.RowHTTP {
		return false
	}
	for len(s.answered) <= int(i)/64 {
		s.answered = append(s.answered, 0)
	}
	word, bit := &s.answered[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 || !s.has(int(i)) {
		return false
	}
	*word |= bit
	s.open = slices.DeleteFunc(s.open, func(o int32) bool { return o == i })
	pings := row.Kind == session.RowCall && s.rec.Tracker.Name(row.Name) == mcp.Ping
	if s.fold && pings && row.Ending == session.Served {
		s.time = max(s.time, row.End)
		if n := len(s.events); n > 0 && s.events[n-1].kind == eventPings {
			s.events[n-1].last = row.Response
		}
		return true
	}
	s.add(event{n: row.Response, last: row.Response, row: i, many: 1, kind: timeline.Response}, timeline.End(row).T)
	return true
}

func (s *eventLog) row(i int32) *session.Row { return s.rec.Tracker.Row(int(i)) }

// add adds an event, or folds it into the latest one.
func (s *eventLog) add(e event, t int64) {
	n := len(s.events)
	if n > 0 && s.events[n-1].kind == e.kind && s.events[n-1].many < maxFolded {
		before := &s.events[n-1]
		switch {
		case e.kind == eventPings:
			s.folded++
			before.many, before.last, s.time = before.many+1, e.n, max(s.time, t)
			return
		case e.kind == eventProgress && s.row(e.row).Parent == s.row(before.row).Parent:
			s.progress++
			before.many, before.last, before.row, s.time = before.many+1, e.n, e.row, max(s.time, t)
			return
		}
	}
	if n > 0 && t-s.time >= longGap {
		waits := 0
		for _, i := range s.open {
			row := s.row(i)
			if i != e.row && row.Kind == session.RowCall && !s.rec.IsStream(row) && !gaveUp(row) {
				waits++
			}
		}
		if e.kind == timeline.Response && s.row(e.row).Kind == session.RowCall {
			waits++
		}
		s.events = append(s.events, event{n: e.n, last: s.events[n-1].last, row: int32(waits), kind: eventGap})
	}
	if e.kind == eventPings {
		s.pings++
	}
	s.events = append(s.events, e)
	s.time = max(s.time, t)
}

const maxPinged = 4096 // rows of pings in one line that are looked at

// pinged tells of the sessions of the pings in a line, and says whether all of
// them went well.
func (s *eventLog) pinged(e event, in func(session int)) (ok bool) {
	ok = true
	for i := int(e.row); i < min(s.rec.Tracker.Rows(), int(e.row)+maxPinged); i++ {
		row := s.rec.Tracker.Row(i)
		if row.Request > e.last {
			break
		}
		if row.Kind == session.RowCall && s.rec.Tracker.Name(row.Name) == mcp.Ping && s.has(i) {
			in(int(row.Session))
			ok = ok && row.Ending == session.Served
		}
	}
	return ok
}

// gaveUp says whether nobody waits for an answer any more.
func gaveUp(row *session.Row) bool {
	return row.Ending.Lost() || row.Ending.GaveUp()
}

func (s *eventLog) waiting() {
	s.tail = s.tail[:0]
	if !s.rec.Live || s.more {
		return
	}
	for _, i := range s.open {
		if row := s.row(i); row.Kind == session.RowCall && library.Unfinished(row) {
			s.tail = append(s.tail, i)
		}
	}
	s.tail = s.tail[max(0, len(s.tail)-maxTail):]
}

// find is the line where a row begins, or the nearest one before it; -1 for
// none.
func (s *eventLog) find(id uint32) int {
	if int(id) >= s.rec.Tracker.Rows() {
		return -1
	}
	n := s.rec.Tracker.Row(int(id)).Request
	i := sort.Search(len(s.events), func(i int) bool { return s.events[i].n > n }) - 1
	for j := i; j >= 0 && j > i-8; j-- {
		if e := s.events[j]; e.row == int32(id) && e.kind != eventGap {
			return j
		}
	}
	return i
}
