package record

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/session/wire"
)

const (
	// watermark is how old a frame must be to be handed on while a live part has
	// nothing to say: what that part saw before is in its file by then.
	watermark = 50 * time.Millisecond
	// A frame that is this far ahead was stamped by another clock: it would be
	// waited for in vain.
	otherClock = time.Second
)

// merge is several recordings that are delivered as one: their frames in order
// of time, with their own numbers. Its methods belong to the goroutine that
// calls Watch.Next, except frame and close.
type merge struct {
	id      string
	started time.Time // of the earliest part there was at the beginning
	sent    wire.Recording
	loading bool // the end of all parts has not been reached yet
	drained bool // it was, after the context had ended

	mu     sync.Mutex // guards all below
	wanted []string   // parts that were requested, and not looked for yet
	parts  []*part
	from   []origin // by number, from 1
	x      uint32   // exchanges so far
	conn   uint32   // connections
	closed bool
}

// origin is where a frame of a merge comes from.
type origin struct{ part, n uint32 }

// part is one of the recordings of a merge.
type part struct {
	file   *watchedFile
	reader *Reader
	err    error
	began  int64 // nanoseconds since 1970
	head   wire.Frame
	has    bool              // head is its next frame
	idle   bool              // its end was reached in this round
	read   bool              // or before
	x      map[uint32]uint32 // numbers in the merge by its own
	conn   map[uint32]uint32
}

// Merge has several recordings delivered as one besides, in order of time, with
// an id that no other recording has. Asked again for the same id, those of the
// parts that are new join it; what they saw before then comes late. It does not
// wait for the frames.
func (w *Watch) Merge(id string, parts []string) {
	w.order(func() {
		m := w.mergeOf(id)
		if m == nil {
			m = &merge{id: id}
			w.merges = append(w.merges, m)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.wanted = append(m.wanted, parts...)
	})
}

// mergeOf is the merge with an id, nil for none. The caller holds w.mu.
func (w *Watch) mergeOf(id string) *merge {
	for _, m := range w.merges {
		if m.id == id {
			return m
		}
	}
	return nil
}

// collectMerges delivers what is due of all merges.
func (w *Watch) collectMerges(now time.Time, room *batch, n *wire.Batch, last bool) {
	w.mu.Lock()
	merges := w.merges
	w.mu.Unlock()
	for _, m := range merges {
		if !last || !m.drained {
			m.join(w.known)
			m.read(now, room, n, last)
		}
	}
}

// join opens the parts that are wanted and not there yet.
func (m *merge) join(known map[string]*watchedFile) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.wanted {
		f := known[id]
		if f == nil || slices.ContainsFunc(m.parts, func(p *part) bool { return p.file == f }) {
			continue
		}
		p := &part{file: f, x: map[uint32]uint32{}, conn: map[uint32]uint32{}}
		if p.reader, p.err = Open(f.entry.Path); p.err == nil {
			began := p.reader.Header().Started
			if p.began = began.UnixNano(); m.started.IsZero() || len(m.from) == 0 && began.Before(m.started) {
				m.started = began
			}
			if m.closed {
				p.reader.Close()
			}
		}
		m.parts = append(m.parts, p)
		m.loading = true
	}
	m.wanted = nil
}

// read delivers what is due at a time.
func (m *merge) read(now time.Time, room *batch, n *wire.Batch, last bool) {
	live := false
	for _, p := range m.parts {
		p.idle = false
		live = live || p.live()
	}
	for room.left() {
		i, sure := m.earliest()
		if i < 0 || !sure && !last && !m.due(i, now) {
			break
		}
		n.Frames = append(n.Frames, m.take(i, room))
	}
	m.tell(n, live)
	m.drained = last && room.left()
}

// live reports whether more may come of a part.
func (p *part) live() bool { return p.err == nil && p.file.entry.Live }

// earliest is the part with the earliest frame, -1 when there is none. It is
// sure when no live part may still come before it.
func (m *merge) earliest() (at int, sure bool) {
	at, sure = -1, true
	for i, p := range m.parts {
		p.look()
		switch {
		case !p.has:
			sure = sure && !p.live()
		case at < 0 || p.time() < m.parts[at].time():
			at = i
		}
	}
	return at, sure
}

// look reads the next frame of a part, unless it was read already.
func (p *part) look() {
	if p.has || p.idle || p.err != nil {
		return
	}
	err := p.reader.Next(&p.head)
	p.has, p.idle = err == nil, errors.Is(err, io.EOF)
	if p.read = p.read || !p.has; !p.has && !p.idle {
		p.err = err
	}
}

// time is when the next frame of a part came, in nanoseconds since 1970.
func (p *part) time() int64 { return p.began + p.head.T }

func (m *merge) due(i int, now time.Time) bool {
	age := time.Duration(now.UnixNano() - m.parts[i].time())
	return age >= watermark || age < -otherClock
}

// take hands on the next frame of a part.
func (m *merge) take(i int, room *batch) wire.Tagged {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.parts[i]
	p.has = false
	m.from = append(m.from, origin{uint32(i), uint32(p.head.N)})
	t := wire.Tagged{Rec: m.id, Part: p.file.id, PartN: p.head.N, Frame: p.head}
	f := &t.Frame
	f.Data = room.keep(f.Data)
	number(&m.x, p.x, f.X)
	number(&m.conn, p.conn, f.Conn)
	m.renumber(f, uint64(len(m.from)), p)
	room.frames--
	room.bytes -= len(f.Data)
	return t
}

// number gives what a part calls n a number in the merge.
func number(last *uint32, of map[uint32]uint32, n uint32) {
	if _, known := of[n]; n != 0 && !known {
		*last++
		of[n] = *last
	}
}

// renumber makes the frame of a part frame n of the merge.
func (m *merge) renumber(f *wire.Frame, n uint64, p *part) {
	f.N, f.X, f.Conn = n, p.x[f.X], p.conn[f.Conn]
	f.T = max(0, f.T+p.began-m.started.UnixNano())
}

// tell publishes the merge's state, and how far it was read.
func (m *merge) tell(n *wire.Batch, live bool) {
	done, all := int64(0), int64(1)
	loading, left := false, false
	for _, p := range m.parts {
		loading, left = loading || p.err == nil && !p.read, left || p.has
		all += p.file.entry.Size
		if p.reader != nil {
			done += p.reader.Offset()
		}
	}
	if r := m.recording(live || m.sent.Live && (loading || left)); r != m.sent {
		m.sent = r
		n.Recordings = append(n.Recordings, r)
	}
	if !m.loading {
		return
	}
	if n.Loading == nil {
		n.Loading = map[string]float64{}
	}
	if n.Loading[m.id], m.loading = 1, loading || left && !live; m.loading {
		n.Loading[m.id] = min(0.99, float64(done)/float64(all))
	}
}

// recording describes the merge as a follower needs it.
func (m *merge) recording(live bool) wire.Recording {
	out := wire.Recording{ID: m.id, Started: m.started, Live: live, Merged: true}
	var trouble []string
	for i, p := range m.parts {
		r := p.file.recording()
		out.Size += r.Size
		if r.Changed.After(out.Changed) {
			out.Changed = r.Changed
		}
		if i == 0 {
			out.Tap = r.Tap
		} else if r.Tap != out.Tap {
			out.Tap = ""
		}
		if p.err != nil {
			r.Trouble = p.err.Error()
		}
		if r.Trouble != "" {
			if _, what, ok := strings.Cut(r.Trouble, extension+": "); ok {
				r.Trouble = what
			}
			trouble = append(trouble, r.Label+": "+r.Trouble)
		}
	}
	out.Trouble = strings.Join(trouble, "; ")
	return out
}

// frame returns a frame of the merge, of those that were delivered.
func (m *merge) frame(n uint64) (f wire.Frame, err error) {
	m.mu.Lock()
	if n == 0 || n > uint64(len(m.from)) {
		m.mu.Unlock()
		return f, fmt.Errorf("frame %d: %w", n, ErrNoFrame)
	}
	from := m.from[n-1]
	p := m.parts[from.part]
	m.mu.Unlock()
	f, err = p.reader.Frame(uint64(from.n))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renumber(&f, n, p)
	return f, err
}

// close closes the files.
func (m *merge) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, p := range m.parts {
		if p.reader != nil {
			p.reader.Close()
		}
	}
}
