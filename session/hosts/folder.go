package hosts

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"midwire/session/record"
	"midwire/session/safefile"
	"midwire/session/words"
)

const (
	listPeriod = 500 * time.Millisecond // between two looks at a folder
	tailPeriod = 50 * time.Millisecond  // between two looks at a growing file
)

// folder follows the recordings that were made in a folder. Copies are none of them.
type folder struct {
	dir    string
	listed time.Time
	known  map[string]*known
	round  int
}

type known struct {
	Recording
	masked bool // its header says that credentials are
	round  int  // when it was last there
}

func newFolder(dir string) *folder { return &folder{dir: dir, known: map[string]*known{}} }

// look returns what is new or live no longer, and what was removed. It opens
// no file that has ended: there may be thousands.
func (f *folder) look() (changed []*known, removed []string, err error) {
	names, err := record.Names(f.dir)
	if err != nil {
		return nil, nil, err
	}
	f.listed = time.Now()
	f.round++
	names = slices.DeleteFunc(names, func(id string) bool { return CheckName(id) != nil }) // a copy has an @
	for _, id := range names[:min(len(names), maxRecordings)] {                            // the latest come first
		k := f.known[id]
		if k != nil && !k.Live {
			k.round = f.round
			continue
		}
		now := f.describe(id)
		if now == nil {
			continue
		}
		now.round = f.round
		f.known[id] = now
		if k == nil || k.Live != now.Live {
			changed = append(changed, now)
		}
	}
	for id, k := range f.known {
		if k.round != f.round {
			delete(f.known, id)
			removed = append(removed, id)
		}
	}
	return changed, removed, nil
}

// describe is nil for what is no recording, or not yet.
func (f *folder) describe(id string) *known {
	e := record.Look(f.dir, id)
	if e.Err != nil {
		return nil
	}
	return &known{masked: e.Header.Secrets == record.SecretsMasked, Recording: Recording{
		ID: id, Label: words.Clip(e.Header.Label, maxLabel), Started: e.Header.Started, Size: e.Size, Live: e.Live,
	}}
}

// due reports whether it is time to look again.
func (f *folder) due() bool { return time.Since(f.listed) >= listPeriod }

// tail reads one recording from a position on. While it is live it reads complete lines
// only: a proxy whose disk is full takes back a line that it could not finish.
type tail struct {
	id   string
	file *os.File
	at   int64
	end  int64 // what is up to here does not change
}

func (f *folder) tail(id string, at int64) (*tail, error) {
	file, err := safefile.Open(record.File(f.dir, id))
	if err != nil {
		return nil, err
	}
	return &tail{id: id, file: file, at: at, end: at}, nil
}

// next reads what comes next, at most a chunk; nil when nothing is there yet. done
// reports that nothing will come any more.
func (t *tail) next(f *folder, buf []byte) (chunk []byte, done bool, err error) {
	k := f.known[t.id] // asked before the size: behind that of a recording that has ended nothing comes
	ended := k != nil && !k.Live
	if t.at >= t.end {
		info, err := t.file.Stat()
		if err != nil {
			return nil, false, err
		}
		if t.end = info.Size(); !ended {
			t.end, err = lastLine(t.file, t.at, t.end)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if t.at >= t.end {
		return nil, ended, nil
	}
	n, err := t.file.ReadAt(buf[:min(int64(len(buf)), t.end-t.at)], t.at)
	if n > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	t.at += int64(n)
	return buf[:n], false, err
}

// lastLine is where the last complete line ends between two positions; the first where
// none does.
func lastLine(r io.ReaderAt, from, to int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for to > from {
		part := buf[:min(int64(len(buf)), to-from)]
		start := to - int64(len(part))
		if n, err := r.ReadAt(part, start); n < len(part) {
			if errors.Is(err, io.EOF) { // shortened meanwhile
				return from, nil
			}
			return from, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		to = start
	}
	return from, nil
}
