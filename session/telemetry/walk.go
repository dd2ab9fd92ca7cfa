// Package telemetry tells collectors of what a proxy records: spans by OTLP, numbers for
// Prometheus. It reads recordings, also while they grow, and is never in the path
// of the bytes: the file is its only queue. Where a collector is slow, reading stops
// until it takes more.
package telemetry

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"midwire/session"
	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/wire"
)

const (
	pollPeriod = 250 * time.Millisecond // between two looks at a recording that does not grow
	workPeriod = 20 * time.Millisecond  // of reading, and then a pause as long: the proxy needs the processor
	settling   = 5 * time.Second        // what is found of a session soon after its end belongs to it
	maxRows    = 16_000                 // then a part of the recording is over, so that memory is bounded
)

// walk reads a recording and says what is over, in an order that depends on its frames
// alone. One goroutine runs it.
type walk struct {
	path    string
	version string
	options record.Options
	hurry   <-chan struct{} // closed: nothing more is recorded, and time is short
	maxRows int             // 0 for the usual
	once    bool            // a recording that grows is read as far as it is there

	// What it tells, each in the goroutine of run. An error ends it.
	begin func(record.Header)
	frame func(*wire.Frame)             // as it is recorded; the payload is not to be kept
	over  func(n uint64, e ended) error // by frame n
	idle  func() error                  // at the end of what is recorded so far
	end   func() error                  // when there is no more, and all was told
	live  *library.Live

	header   record.Header
	part     int
	open     map[int]bool // calls without a response
	closing  []closed     // sessions that have ended lately
	sessions map[int]bool // that were told
}

// ended is a span that is over: a row, or a session.
type ended struct {
	live    *library.Live
	row     int // -1 for a session
	session *session.Session
}

type closed struct {
	session int
	at      int64
}

// run reads until the recording has ended, or ctx has.
func (w *walk) run(ctx context.Context) error {
	r, err := record.Open(w.path)
	if err != nil {
		return err
	}
	defer r.Close()
	w.header = r.Header()
	w.begin(w.header)
	w.restart(r)
	for {
		live := record.IsLive(w.path) // asked first: behind the end that is found after that nothing comes
		switch err := w.read(ctx, r); {
		case err != nil:
			return err
		case !live:
			w.live.Finish()
			if err := w.finishPart(lastFrame); err != nil {
				return err
			}
			return w.end()
		}
		if err := w.idle(); err != nil || w.once {
			return err
		}
		if !pause(ctx, w.hurry, pollPeriod) {
			return ctx.Err()
		}
	}
}

// read reads what is there.
func (w *walk) read(ctx context.Context, r *record.Reader) error {
	var f wire.Frame
	began := time.Now()
	for {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return ctx.Err()
		case err != nil:
			return err
		}
		w.frame(&f)
		if err := w.apply(&f); err != nil {
			return err
		}
		rows := w.live.Tracker.Rows()
		if most := cmp.Or(w.maxRows, maxRows); rows >= most && len(w.open) == 0 || rows >= 2*most {
			if err := w.finishPart(f.N); err != nil {
				return err
			}
			w.part++
			w.restart(r)
		}
		if took := time.Since(began); took >= workPeriod {
			if !pause(ctx, w.hurry, took) {
				return ctx.Err()
			}
			began = time.Now()
		}
	}
}

// pause waits, not long when time is short; false when ctx has ended.
func pause(ctx context.Context, hurry <-chan struct{}, d time.Duration) bool {
	const short = 5 * time.Millisecond
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-hurry:
		timer.Reset(min(d, short))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	case <-timer.C:
	}
	return ctx.Err() == nil
}

func (w *walk) restart(r *record.Reader) {
	part := ""
	if w.part > 0 {
		part = "/" + strconv.Itoa(w.part)
	}
	w.live = library.NewLive(w.header, w.version, part, w.options, r.Frame)
	w.open, w.closing, w.sessions = map[int]bool{}, nil, map[int]bool{}
}

// apply tells of what a frame ended.
func (w *walk) apply(f *wire.Frame) error {
	step, t := w.live.Apply(f), w.live.Tracker
	for at := step.First; at < step.First+step.Added; at++ {
		if r := t.Row(at); export.IsSpan(r) {
			w.open[at] = true
			if err := w.row(f.N, at, false); err != nil {
				return err
			}
		}
	}
	for _, at := range step.Changed {
		if err := w.row(f.N, at, false); err != nil {
			return err
		}
	}
	if s := t.Session(step.Session); s != nil && s.State > session.StateOperating && !w.sessions[s.Index] {
		w.sessions[s.Index] = true
		w.closing = append(w.closing, closed{s.Index, f.T})
	}
	for len(w.closing) > 0 && f.T-w.closing[0].at > settling.Nanoseconds() {
		one := t.Session(w.closing[0].session)
		w.closing = w.closing[1:]
		if err := w.over(f.N, ended{w.live, -1, one}); err != nil {
			return err
		}
	}
	return nil
}

// row tells of a row that is open, if it has ended or must.
func (w *walk) row(n uint64, at int, must bool) error {
	r := w.live.Tracker.Row(at)
	if !w.open[at] || !must && r.Kind == session.RowCall && r.Ending.Open() {
		return nil
	}
	delete(w.open, at)
	return w.over(n, ended{w.live, at, w.live.Tracker.Session(int(r.Session))})
}

// finishPart tells of all that is still open, as by frame n.
func (w *walk) finishPart(n uint64) error {
	t := w.live.Tracker
	for at := 0; at < t.Rows() && len(w.open) > 0; at++ {
		if err := w.row(n, at, true); err != nil {
			return err
		}
	}
	waits := map[int]bool{}
	for _, c := range w.closing {
		waits[c.session] = true
	}
	for _, s := range t.Sessions() {
		if w.sessions[s.Index] && !waits[s.Index] {
			continue
		}
		if err := w.over(n, ended{w.live, -1, s}); err != nil {
			return err
		}
	}
	return nil
}

// lastFrame stands behind all frames.
const lastFrame = 1 << 62
