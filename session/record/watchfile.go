package record

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"midwire/session/wire"
)

// watchedFile is one recording of a Watch.
type watchedFile struct {
	id      string
	entry   Entry
	reader  *Reader // nil until it is followed
	round   int     // when the directory last had it
	loading bool    // its end has not been reached yet
	deleted bool
	broken  bool      // reading ended with an error, which entry has
	hidden  bool      // began before since: it is not delivered
	fresh   bool      // is among Watch.fresh
	drained bool      // its end was reached after the context had ended
	rest    time.Time // nothing is expected before
}

// stale reports whether a file that is not followed has to be looked at again.
func (f *watchedFile) stale() bool {
	return f.reader == nil && (f.deleted || f.entry.Live || errors.Is(f.entry.Err, errNoHeader))
}

// recording describes the file as a follower needs it.
func (w *Watch) recording(f *watchedFile) wire.Recording {
	h := f.entry.Header
	r := wire.Recording{
		ID: f.id, Label: h.Label, Tap: h.Tap, Where: strings.Join(h.Command, " "),
		Host: HostOf(f.id), Flow: h.Flow, Side: h.Side, ClientSession: h.ClientSession,
		Started: h.Started, Changed: f.entry.Modified, Live: f.entry.Live, Size: f.entry.Size,
	}
	if h.Control != "" && f.entry.isOwn(w.home) {
		r.Control = h.Control
	}
	if h.Target != "" {
		r.Where = h.Listen + " → " + h.Target
	}
	torn := f.entry.Torn
	if f.reader != nil {
		torn = !f.loading && f.reader.Torn()
	}
	switch {
	case f.deleted:
		r.Trouble = "was deleted"
	case f.entry.Err != nil:
		r.Trouble = f.entry.Err.Error()
	case torn && !r.Live:
		r.Trouble = "its last line is incomplete"
	}
	return r
}

// batch counts what may still be put into one wire.Batch.
type batch struct {
	frames, bytes int
	arena         []byte
}

func (b *batch) hasRoom() bool { return b.frames > 0 && b.bytes > 0 }

// keep copies data for the receiver of the batch.
func (b *batch) keep(data []byte) []byte {
	if len(data) > cap(b.arena)-len(b.arena) {
		b.arena = make([]byte, 0, max(min(max(4<<10, 4*cap(b.arena)), 256<<10), len(data)))
	}
	at := len(b.arena)
	b.arena = append(b.arena, data...)
	return b.arena[at:len(b.arena):len(b.arena)]
}

// changed puts a recording into the next batch.
func (w *Watch) changed(f *watchedFile) {
	if !f.fresh && !f.hidden {
		f.fresh = true
		w.fresh = append(w.fresh, f)
	}
}

// state notices that a recording grew, was deleted or is not live any more.
func (w *Watch) state(f *watchedFile, live, atEnd bool) {
	info, err := os.Stat(f.entry.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.removed(f)
	case err == nil && f.deleted: // moved away and back
		live = IsLive(f.entry.Path)
		f.deleted, f.entry.Live = false, live
		w.changed(f)
	case err == nil && info.Size() != f.entry.Size:
		f.entry.Size, f.entry.Modified = info.Size(), info.ModTime()
		w.changed(f)
	}
	if f.entry.Live && !live && atEnd {
		f.entry.Live = false
		w.changed(f)
	}
}

// removed notes that a file was deleted. What was read of it stays, and what is
// open can be read to its end.
func (w *Watch) removed(f *watchedFile) {
	if !f.deleted {
		f.deleted, f.entry.Live = true, false
		w.changed(f)
	}
}
