package ask

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"midwire/session"
	"midwire/session/diagnose/rules"
	"midwire/session/insight"
	"midwire/session/library/noted"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/query"
)

// mostOpen is how many recordings stay in memory between questions.
const mostOpen = 3

// opened is a recording that was read, and is read on when it has grown.
type opened struct {
	mu     sync.Mutex // held by who uses it
	path   string
	reader *record.Reader
	mask   func(string) string // of the Recordings
	rec    *library.Recording
	book   *insight.Book  // nil until it is asked for
	beside *record.Reader // that of book
}

// use calls do with a recording that was read as far as it goes by now. Nobody
// else uses it meanwhile.
func (r *Recordings) use(ctx context.Context, p place, do func(o *opened) error) error {
	o := r.take(p.path)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.read(ctx, p); err != nil {
		r.forget(o)
		return err
	}
	if n := len(o.rec.Tracker.Sessions()); p.session > n {
		return p.noSession(n)
	}
	return do(o)
}

// take finds an open recording, or makes one that was not read yet.
func (r *Recordings) take(path string) *opened {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.open, func(o *opened) bool { return o.path == path })
	if i < 0 {
		r.open = append(r.open, &opened{path: path, mask: r.mask})
		i = len(r.open) - 1
	}
	o := r.open[i]
	r.open = append(slices.Delete(r.open, i, i+1), o)
	if len(r.open) > mostOpen {
		old := r.open[0]
		r.open = slices.Delete(r.open, 0, 1)
		go old.close()
	}
	return o
}

func (r *Recordings) forget(o *opened) {
	r.mu.Lock()
	r.open = slices.DeleteFunc(r.open, func(p *opened) bool { return p == o })
	r.mu.Unlock()
	o.shut()
}

// Close gives up what is in memory.
func (r *Recordings) Close() {
	r.mu.Lock()
	all := r.open
	r.open = nil
	if r.copy != "" {
		os.Remove(r.copy)
	}
	r.mu.Unlock()
	for _, o := range all {
		o.close()
	}
}

func (o *opened) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shut()
}

func (o *opened) shut() {
	if o.reader != nil {
		o.reader.Close()
	}
	if o.beside != nil {
		o.beside.Close()
	}
	o.reader, o.rec, o.book, o.beside = nil, nil, nil, nil
}

// read takes in what was written since the last time.
func (o *opened) read(ctx context.Context, p place) error {
	live := record.IsLive(o.path)
	if o.reader == nil {
		reader, err := record.Open(o.path)
		if err != nil {
			return err
		}
		h := reader.Header()
		o.reader = reader
		o.rec = library.New(wire.Recording{
			ID: p.id, Label: h.Label, Tap: h.Tap, Started: h.Started, Live: live,
		}, rules.All())
		if n, err := noted.Read(o.path); err == nil {
			o.rec.Notes = n
		}
	}
	o.rec.Live = live
	if err := each(ctx, o.reader, func(f *wire.Frame) { o.rec.Apply(f) }); err != nil {
		return err
	}
	o.rec.AtEnd = o.rec.AtEnd || !live
	o.rec.FinishFindings()
	if o.rec.Findings.Stale() || o.rec.Findings.Stamp == 0 {
		o.rec.ArrangeFindings()
	}
	return nil
}

// load is the frame of a number, nil when it cannot be read.
func (o *opened) load(n uint64) *wire.Frame {
	f, err := o.reader.Frame(n)
	if err != nil {
		return nil
	}
	return &f
}

// scope lists the rows of a session from 1, or of the whole recording.
func (o *opened) scope(one int) []int {
	var rows []int
	if one == 0 {
		for i := range o.rec.Tracker.Rows() {
			rows = append(rows, i)
		}
		return rows
	}
	for _, i := range o.rec.Session(one - 1).Rows() {
		rows = append(rows, int(i))
	}
	return rows
}

func (o *opened) row(i int) *session.Row { return o.rec.Tracker.Row(i) }

// filter reads a filter in the language of the screen. An empty one lets
// everything pass.
func filter(text string) (*query.Query, error) {
	q, err := query.Read(text)
	if err != nil {
		return nil, mistakef("filter %q: %w. Examples: is:error, method:tools/call tool:search, lat>500ms, "+
			"finding:any, some text; docs/filters.md has them all", text, err)
	}
	return q, nil
}

// each calls use with the frames of a recording that are there by now, until ctx
// ends.
func each(ctx context.Context, r *record.Reader, use func(*wire.Frame)) error {
	var f wire.Frame
	for ctx.Err() == nil {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		use(&f)
	}
	return ctx.Err()
}
