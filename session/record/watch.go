package record

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"midwire/session/wire"
)

const (
	watchPeriod = 50 * time.Millisecond // between two looks at growing files
	listPeriod  = 500 * time.Millisecond
	batchFrames = 20_000
	batchBytes  = 8 << 20
)

// Watch follows the recordings of a directory, or some files, as they grow.
// Live ones are delivered by themselves, finished ones when Open asks for
// them. Next is for one goroutine; Open, Frame, Report and Close may be called from any. It starts no goroutine.
type Watch struct {
	home  string    // the folder of the user's recordings
	dir   string    // the same, "" for files only
	since time.Time // recordings of dir that began before are left out

	// These belong to the goroutine that calls Next.
	listed   time.Time // when dir was last listed
	round    int       // how often it was
	unborn   bool      // a file in it has no header yet
	pause    time.Duration
	keep     int64 // see Latest
	ended    bool  // the directory was listed after the context had ended
	known    map[string]*watchedFile
	followed []*watchedFile
	fresh    []*watchedFile // to be announced in the next batch

	ordered chan struct{} // a caller wants something

	mu     sync.Mutex // guards all below
	open   map[string]*Reader
	asked  []string // by Open, and not followed yet
	also   []string // by Also, and not followed yet
	paths  map[string]string
	failed error
	nudged bool
	closed bool
}

// NewWatch follows every recording in dir, the folder of the user's, that began at since or
// later; with files, those and no other. A file that is no recording is an error.
func NewWatch(dir string, since time.Time, files []string) (*Watch, error) {
	w := &Watch{home: dir, dir: dir, since: since, ordered: make(chan struct{}, 1)}
	w.known, w.open, w.paths = map[string]*watchedFile{}, map[string]*Reader{}, map[string]string{}
	if len(files) > 0 {
		w.dir = ""
	}
	for _, path := range files {
		if err := w.add(path); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// add follows a file by the id in its header. That of a copy is taken, unless
// it is the very same file, which is followed once.
func (w *Watch) add(path string) error {
	e := entry(path)
	if e.Err != nil {
		return e.Err
	}
	info, err := os.Stat(path)
	for _, f := range w.followed {
		if other, err2 := os.Stat(f.entry.Path); err == nil && err2 == nil && os.SameFile(info, other) {
			return nil
		}
	}
	for _, id := range []string{e.Header.ID, e.ID, path} {
		if id == "" || w.known[id] != nil {
			continue
		}
		f := &watchedFile{id: id, entry: e}
		w.known[id] = f
		w.follow(f)
		return f.entry.Err
	}
	return nil
}

// Latest has Next pass over what grows faster than it is to be read, from now on: of what
// a live recording gained it delivers the last bytes, so many; 0 for all. What is missing
// shows in the numbers of the frames. Only the goroutine that calls Next may call it.
func (w *Watch) Latest(bytes int64) { w.keep = bytes }

// Next blocks until there is news or ctx ends; after that it delivers what was
// left at that time without blocking, and then the context's error. There are
// at most twenty batches a second but for a recording that is being loaded.
func (w *Watch) Next(ctx context.Context) (wire.Batch, error) {
	for {
		w.wait(ctx)
		last := ctx.Err() != nil
		n, nudged, err := w.orders()
		if err != nil {
			return wire.Batch{}, err
		}
		if !last || !w.ended { // what comes later still is not news any more
			w.list(last)
		}
		w.ended = last
		w.pause = watchPeriod
		if full := w.collect(&n, last); full {
			w.pause = 0
		}
		if nudged || n.Err != nil || len(n.Recordings)+len(n.Frames)+len(n.Loading) > 0 {
			return n, nil
		}
		if last {
			return wire.Batch{}, ctx.Err()
		}
	}
}

// wait lets the pause pass, and then the time in which no file is looked at unless
// a caller asks for something.
func (w *Watch) wait(ctx context.Context) {
	timer := time.NewTimer(w.pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	timer.Reset(w.quiet())
	select {
	case <-ctx.Done():
	case <-w.ordered:
	case <-timer.C:
	}
}

// quiet is how long no file will be looked at.
func (w *Watch) quiet() time.Duration {
	next := w.listed.Add(listPeriod)
	if w.dir == "" {
		next = time.Now().Add(listPeriod)
	}
	for _, f := range w.followed {
		if !f.broken && f.rest.Before(next) {
			next = f.rest
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unborn || w.pause == 0 {
		return 0
	}
	return time.Until(next)
}

// list looks for recordings that are new in the directory, and for those that
// are not there any more. It opens no file that it knows and that is finished:
// there may be thousands.
func (w *Watch) list(now bool) {
	since := time.Since(w.listed)
	if w.dir == "" || !now && since < listPeriod && !(w.unborn && since >= watchPeriod) {
		return
	}
	names, err := Names(w.dir)
	if err != nil {
		return // nothing is known of a directory that cannot be read, until it can
	}
	w.listed, w.unborn = time.Now(), false
	w.round++
	var added []*watchedFile
	for _, id := range names {
		f := w.known[id]
		if f == nil {
			f = &watchedFile{id: id, entry: Entry{Path: filepath.Join(w.dir, id+extension)}}
			if !w.describe(f) {
				continue
			}
			w.known[id] = f
			added = append(added, f)
		} else if f.stale() {
			w.describe(f)
		}
		f.round = w.round
	}
	slices.SortStableFunc(added, func(a, b *watchedFile) int { return a.entry.began().Compare(b.entry.began()) })
	for _, f := range added {
		w.admit(f)
	}
	for _, f := range w.known {
		if f.round != w.round {
			w.removed(f)
		}
	}
}

// describe reads what List would say of a file. It returns false for one that
// is being created or was removed at this moment.
func (w *Watch) describe(f *watchedFile) bool {
	e := entry(f.entry.Path)
	if errors.Is(e.Err, fs.ErrNotExist) {
		return false
	}
	if errors.Is(e.Err, errNoHeader) && (e.Live || time.Since(e.Modified) < birth) {
		w.unborn = true
		return false
	}
	old := f.entry
	f.entry = e
	changed := e.Live != old.Live || e.Size != old.Size || (e.Err == nil) != (old.Err == nil)
	if w.known[f.id] == f && (f.deleted || changed) {
		f.deleted = false
		w.admit(f)
	}
	return true
}

// admit announces a recording unless it is too old, and follows it if a caller
// writes it.
func (w *Watch) admit(f *watchedFile) {
	if f.hidden = f.entry.Header.Started.Before(w.since); f.hidden {
		return
	}
	w.changed(f)
	if f.entry.Live || !w.since.IsZero() {
		w.follow(f)
	}
}

// follow opens a recording for delivery.
func (w *Watch) follow(f *watchedFile) {
	if f.reader != nil || f.entry.Err != nil {
		return
	}
	w.changed(f)
	r, err := Open(f.entry.Path)
	if errors.Is(err, fs.ErrNotExist) {
		w.removed(f)
		return
	}
	if f.entry.Err = err; err != nil {
		return
	}
	f.reader, f.loading = r, true
	w.followed = append(w.followed, f)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[f.id], w.paths[f.id] = r, f.entry.Path
	if w.closed {
		r.Close()
	}
}

// Path returns the path of an id's recording.
func (w *Watch) Path(id string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if path, ok := w.paths[id]; ok {
		return path
	}
	return filepath.Join(w.dir, id+extension)
}

// collect reads what has been written since the last time, and reports whether
// that filled the batch. What is live goes before what is being loaded.
func (w *Watch) collect(n *wire.Batch, last bool) (full bool) {
	room := batch{frames: batchFrames, bytes: batchBytes}
	now := time.Now()
	for _, loading := range []bool{false, true} {
		for _, f := range w.followed {
			due := last && !f.drained || !last && !now.Before(f.rest)
			if f.loading == loading && !f.broken && due && room.hasRoom() {
				w.read(f, &room, n, last)
			}
		}
	}
	for _, f := range w.fresh {
		f.fresh = false
		n.Recordings = append(n.Recordings, w.recording(f))
	}
	w.fresh = w.fresh[:0]
	return !room.hasRoom()
}

func (w *Watch) read(f *watchedFile, room *batch, n *wire.Batch, last bool) {
	// Asked first: behind the end that is found after the writer has left
	// nothing can come any more.
	live := f.entry.Live && IsLive(f.entry.Path)
	var frame wire.Frame
	atEnd := false
	if w.keep > 0 && live {
		f.reader.leap(w.keep)
	}
	for room.hasRoom() {
		if err := f.reader.Next(&frame); err != nil {
			if atEnd = true; !errors.Is(err, io.EOF) {
				f.entry.Err, f.broken = err, true
				w.changed(f)
			}
			break
		}
		frame.Data = room.keep(frame.Data)
		n.Frames = append(n.Frames, wire.Tagged{Rec: f.id, Frame: frame})
		room.frames--
		room.bytes -= len(frame.Data)
	}
	w.state(f, live, atEnd)
	if f.loading {
		w.load(f, n, atEnd)
	} else if atEnd && !f.fresh && !f.entry.Live {
		f.rest = time.Now().Add(listPeriod)
	}
	f.drained = last && atEnd
}

// load says how much of a recording has been delivered.
func (w *Watch) load(f *watchedFile, n *wire.Batch, atEnd bool) {
	if n.Loading == nil {
		n.Loading = map[string]float64{}
	}
	n.Loading[f.id] = 1
	if atEnd {
		f.loading = false
		w.changed(f)
	} else if f.entry.Size > 0 {
		n.Loading[f.id] = min(0.99, float64(f.reader.Offset())/float64(f.entry.Size))
	}
}

// Frame returns a frame of a recording that is being delivered.
func (w *Watch) Frame(id string, n uint64) (wire.Frame, error) {
	w.mu.Lock()
	r := w.open[id]
	w.mu.Unlock()
	if r == nil {
		return wire.Frame{}, errors.New("recording " + id + " is not open")
	}
	return r.Frame(n)
}

// Close closes all files. Next returns an error from then on.
func (w *Watch) Close() {
	w.order(func() {
		w.closed = true
		for _, r := range w.open {
			r.Close()
		}
	})
}
