package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"midwire/session/record/redact"
	"midwire/session/safefile"
	"midwire/session/wire"
)

const (
	extension   = ".jsonl"
	bufferSize  = 64 << 10
	longPayload = 256 << 10 // from here on a payload is not copied into the buffer
	retryAfter  = time.Second
)

// file is what a Writer needs of one; *os.File is one.
type file interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Close() error
}

// Writer writes one recording. Frames that the disk does not take are counted,
// and the recording says so as soon as the disk takes something again; the
// caller continues as usual.
//
// All methods belong to one goroutine, except Err, Lost, ID and Path, which
// anyone may call.
type Writer struct {
	name    atomic.Pointer[[2]string] // id and path; nil without a file
	begin   func() error              // creates the file, when that failed before
	started time.Time
	opt     Options
	mask    *redact.Redactor // nil: nothing is masked
	file    file             // nil: not created yet, or discard

	buf   []byte // complete lines, or what is left of them, that belong at size
	n     uint64 // number of the last frame that is in the file or in buf
	lastT int64
	size  int64 // of the file
	good  int64 // end of the last complete line in the file
	torn  bool  // bytes behind good could not be removed, and no line continues them
	done  bool

	look    time.Time // when to see again whether the file was removed
	gone    bool      // it was removed
	retry   time.Time // not before
	missing wire.Gap  // lost and not yet said in the recording

	hidden     atomic.Pointer[hidden] // by Hide
	trouble    atomic.Pointer[error]
	lostFrames atomic.Int64
	lostBytes  atomic.Int64
}

// Create begins a recording in the folder dir, which it makes if need be. The
// file is <dir>/<id>.jsonl, readable by its owner alone. On error there is no
// file yet: the Writer is in trouble, as one that the disk refused something, and
// creates the file as soon as that is possible.
//
// Credentials in the header's command and target are masked unless
// opt.Redact.Keep.
func Create(dir string, h Header, opt Options) (*Writer, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if h.Started.IsZero() {
		h.Started = opt.Now()
	}
	w := &Writer{started: h.Started, opt: opt, buf: make([]byte, 0, bufferSize+bufferSize/4)}
	w.begin = func() error { return w.create(dir, h) }
	err := w.begin()
	if err != nil {
		w.retry = opt.Now().Add(retryAfter)
		w.trouble.Store(&err)
	}
	return w, err
}

// create creates the file. It may be called again when it fails.
func (w *Writer) create(dir string, h Header) error {
	if err := safefile.OwnFolder(dir); err != nil && !errors.Is(err, safefile.ErrShared) {
		return fmt.Errorf("folder for recordings: %w", err)
	}
	shared := CheckFolder(dir)
	if shared != nil && w.opt.OnShared != nil {
		w.opt.OnShared(shared)
		w.opt.OnShared = nil
	}
	if w.opt.Redact.Keep {
		h.Secrets = SecretsKept
	} else {
		h.Secrets = SecretsMasked
		key := redact.RunKey()
		if shared == nil {
			key = redact.Key(dir)
		}
		of := w.opt.Redact
		of.Keys = append(slices.Clip(of.Keys), h.Mask...)
		w.mask = redact.New(of, key)
		h.Command = redact.Args(h.Command)
		h.Target = w.mask.URL(h.Target)
	}
	f, err := createFile(dir, &h)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	h.Format, h.Started = Format, h.Started.UTC()
	line, err := appendHeader(nil, &h)
	if err == nil {
		_, err = f.Write(line)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return fmt.Errorf("recording %s: %w", f.Name(), err)
	}
	w.file, w.begin = f, nil
	w.name.Store(&[2]string{h.ID, f.Name()})
	w.size, w.good = int64(len(line)), int64(len(line))
	return nil
}

// CheckFolder returns an error when another user may put files into a folder of
// recordings, or take some away. Recordings in it are still readable by their
// owner alone.
func CheckFolder(dir string) error {
	who := safefile.Shared(dir)
	if who == "" {
		return nil
	}
	return fmt.Errorf("the folder of recordings %s is not safe: %s, so others can plant and remove recordings. Make it private (chmod 700), or set MIDWIRE_HOME to a private folder", dir, who)
}

// createFile creates and locks the file, and chooses an id unless one is given.
func createFile(dir string, h *Header) (*os.File, error) {
	given := h.ID
	for try := 0; ; try++ {
		if given == "" {
			h.ID = newID(h.Started)
		}
		// Windows locks no file that is open for appending only.
		f, err := os.OpenFile(filepath.Join(dir, h.ID+extension), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
		if errors.Is(err, fs.ErrExist) && given == "" && try < 10 {
			continue
		}
		if err == nil {
			lock(f)
		}
		return f, err
	}
}

// Discard returns a Writer without a file. It numbers frames and forgets them.
func Discard() *Writer { return &Writer{} }

// ID returns the recording's id, "" while there is no file.
func (w *Writer) ID() string { return w.names()[0] }

// Path returns the recording's file, "" while there is none.
func (w *Writer) Path() string { return w.names()[1] }

func (w *Writer) names() [2]string {
	if n := w.name.Load(); n != nil {
		return *n
	}
	return [2]string{}
}

// Err says why the recording cannot be written at present; nil when it can.
func (w *Writer) Err() error {
	if e := w.trouble.Load(); e != nil {
		return *e
	}
	return nil
}

// Lost returns how many frames are not in the recording because the disk did
// not take them, and how many payload bytes they had.
func (w *Writer) Lost() (frames, bytes int64) {
	return w.lostFrames.Load(), w.lostBytes.Load()
}

// Append numbers the frame, that is, sets f.N, and takes it into the
// recording, where it is complete after the next Flush. A frame that cannot be
// recorded now gets no number and is counted as lost. f.Data stays the
// caller's and is not retained. f.Len is taken as it is, or as len(f.Data)
// when it is 0.
func (w *Writer) Append(f *wire.Frame) {
	f.N = 0
	if w.done {
		return
	}
	if w.file == nil && w.begin == nil {
		w.n++
		f.N = w.n
		return
	}
	w.lastT = f.T
	if w.trouble.Load() != nil {
		w.lose(f)
		return
	}
	data, s, masked := w.masked(f)
	if len(data) > lineLimit/6 {
		var fits bool
		if s, fits = s.fits(data); !fits { // masking has made it longer
			w.fact(wire.KindGap, wire.Gap{Frames: 1, Bytes: int64(len(data)), Why: ErrLongLine.Error()})
			return
		}
	}
	w.n++
	f.N = w.n
	line := *f
	line.Masked = f.Masked || masked
	line.Len = cmp.Or(line.Len, len(f.Data))
	if len(data) >= longPayload {
		if !w.long(&line, s, data) {
			w.n--
			f.N = 0
			w.lose(f)
		}
		return
	}
	w.buf = appendLine(w.buf, &line, s, data)
	if len(w.buf) >= bufferSize {
		w.write()
	}
}

// masked is what is written of a payload, how, and whether something in it is masked.
func (w *Writer) masked(f *wire.Frame) (data []byte, s shape, masked bool) {
	var names *wire.Names
	looked := w.mask != nil && (f.Kind == wire.KindLine || f.Kind == wire.KindBody)
	if looked { // most have no secret: one look at them does for both
		names = w.mask.Names()
		s = shapeOf(f.Kind, f.Data, names)
	}
	if data = f.Data; w.mask != nil {
		data, masked = w.mask.FrameNamed(f, names)
		if more, hid := w.hide(data); hid {
			data, masked = more, true
		}
	}
	if !looked || masked {
		s = shapeOf(f.Kind, data, nil)
	}
	return data, s, masked
}

// Flush hands everything appended to the operating system. In trouble it tries
// again, at most once a second, and when that succeeds the recording continues
// with a gap frame that says what is missing.
func (w *Writer) Flush() {
	switch {
	case w.file == nil && w.begin == nil || w.done:
	case w.trouble.Load() == nil:
		if w.write() {
			w.checkRemoved()
		}
	case !w.opt.Now().Before(w.retry):
		w.resume()
	}
}

// Close ends the recording with an end frame and closes the file. It returns
// why the recording is incomplete, if it is. Further calls do nothing.
func (w *Writer) Close() error {
	if w.file == nil && w.begin == nil || w.done {
		w.done = true
		return nil
	}
	if w.trouble.Load() != nil {
		w.resume()
	}
	if w.file == nil {
		w.done = true
		return w.Err()
	}
	if w.trouble.Load() == nil {
		w.fact(wire.KindEnd, wire.End{Frames: w.n})
		w.write()
	}
	w.done = true
	w.abandon()
	err := w.Err()
	if e := w.file.Close(); err == nil && e != nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("recording %s: %w", w.Path(), err)
	}
	return nil
}

// fact appends our own frame to the buffer.
func (w *Writer) fact(k wire.Kind, payload any) {
	data, _ := json.Marshal(payload) // plain structs of strings and numbers
	w.n++
	at := max(w.lastT, int64(w.opt.Now().Sub(w.started)))
	f := wire.Frame{N: w.n, T: at, Kind: k, Len: len(data)}
	w.buf = appendLine(w.buf, &f, shape{form: asJSON, to: len(data)}, data)
}
