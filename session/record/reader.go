package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"midwire/session/safefile"
	"midwire/session/wire"
)

const (
	firstRead  = 16 << 10 // enough for most recordings
	readSize   = 256 << 10
	keptBuffer = 4 << 20 // a buffer that grew beyond this is let go
	maxHeader  = 1 << 20
	keptBad    = 100
)

// MaxLine is the longest line of a recording that is read, in bytes. A proxy writes none that
// is longer: its longest unit has 64 MiB, which are a third more where they are no text.
const MaxLine = 88 << 20

// ErrLongLine means that a line is longer than MaxLine.
var ErrLongLine = fmt.Errorf("a line is longer than the %d MiB that are read", MaxLine>>20)

// ErrNoFrame means that the frame is not among those read.
var ErrNoFrame = errors.New("no such frame")

// BadLine is a line in the middle of a recording that could not be read.
type BadLine struct {
	Offset int64 // in the file
	Reason string
}

// Reader reads one recording, while it grows or long after. Its methods belong
// to one goroutine, except Frame, Header and Path, which anyone may call.
type Reader struct {
	file   *os.File
	path   string
	header Header

	buf   []byte // what was read of the file from offset base on
	base  int64
	pos   int // beginning of the next line
	seen  int // no line feed between pos and here
	end   bool
	long  bool // the line at pos is too long, and passed over
	lines index

	bad      []BadLine
	badCount int
}

// Open opens a recording. The error wraps ErrNotRecording or ErrNewer when
// that is what is wrong, and names the file.
func Open(path string) (*Reader, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// open opens the file of a recording, and nothing else.
func open(path string) (*os.File, error) {
	f, err := safefile.Open(path)
	switch {
	case errors.Is(err, safefile.ErrNoFile):
		return nil, fmt.Errorf("%s: %w: not a file; to read from a pipe, use - and <", path, ErrNotRecording)
	case err != nil:
		return nil, fmt.Errorf("recording: %w", err)
	}
	return f, nil
}

func newReader(f *os.File) (*Reader, error) {
	line, whole, err := firstLine(f)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(line, whole)
	if err != nil {
		return nil, err
	}
	adopt(&h, strings.TrimSuffix(filepath.Base(f.Name()), extension))
	base := int64(len(line))
	if whole {
		base++
	}
	return &Reader{file: f, path: f.Name(), header: h, base: base}, nil
}

// firstLine reads the first line, and whether its end was there. Of a file
// without line feeds it reads no more than a header can be long.
func firstLine(f io.ReaderAt) (line []byte, whole bool, err error) {
	buf := make([]byte, 0, 4<<10)
	for {
		n, err := f.ReadAt(buf[len(buf):cap(buf)], int64(len(buf)))
		seen := len(buf)
		buf = buf[:seen+n]
		if i := bytes.IndexByte(buf[seen:], '\n'); i >= 0 {
			return buf[:seen+i], true, nil
		}
		if errors.Is(err, io.EOF) || len(buf) >= maxHeader {
			return buf, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		buf = append(make([]byte, 0, 4*cap(buf)), buf...)
	}
}

func readHeader(f io.ReaderAt) (Header, error) {
	line, whole, err := firstLine(f)
	if err != nil {
		return Header{}, err
	}
	return parseHeader(line, whole)
}

// Header returns the recording's header.
func (r *Reader) Header() Header { return r.header }

// Path returns the name of the file.
func (r *Reader) Path() string { return r.path }

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// Next reads the next frame into f, with its payload, which is valid until the
// following call. At the end of what is there so far it returns io.EOF; called
// again later it continues with what has been written since. Lines that cannot
// be read are skipped and reported by Bad.
func (r *Reader) Next(f *wire.Frame) error {
	for {
		line, at, err := r.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		if err := parseLine(line, f); err != nil {
			r.report(at, err.Error())
			continue
		}
		if last, ok := r.lines.add(f.N, at); !ok {
			r.report(at, fmt.Sprintf("it is frame %d and comes after frame %d", f.N, last))
			continue
		}
		return nil
	}
}

// leap passes over what was written so far but for its last bytes, without reading it.
// Frame does not find what was passed over.
func (r *Reader) leap(keep int64) {
	info, err := r.file.Stat()
	if err != nil || info.Size()-keep <= r.Offset() {
		return
	}
	at := info.Size() - keep
	n := lineLength(r.file, at, 0)
	if at+int64(n) >= info.Size() { // one line is all of it
		return
	}
	r.buf, r.base, r.pos, r.seen, r.end, r.long = r.buf[:0], at+int64(n), 0, 0, false, n > MaxLine
}

func (r *Reader) report(at int64, reason string) {
	r.badCount++
	if len(r.bad) < keptBad {
		r.bad = append(r.bad, BadLine{at, reason})
	}
}

// Bad returns the first hundred lines that could not be read, and how many
// there are.
func (r *Reader) Bad() ([]BadLine, int) { return r.bad, r.badCount }

// Torn says, after io.EOF, whether the file ends in the middle of a line: the
// tap is writing it, or was killed while it did.
func (r *Reader) Torn() bool { return r.end && (r.long || r.pos < len(r.buf)) }

// Offset returns how far Next has read, in bytes.
func (r *Reader) Offset() int64 { return r.base + int64(r.pos) }

// Count is the number of frames read so far.
func (r *Reader) Count() int { return r.lines.size() }

// line returns the next line without its terminator, and its offset.
func (r *Reader) line() ([]byte, int64, error) {
	if r.end {
		if err := r.grown(); err != nil {
			return nil, 0, err
		}
	}
	for {
		if i := bytes.IndexByte(r.buf[r.seen:], '\n'); i >= 0 {
			line, at := r.buf[r.pos:r.seen+i], r.Offset()
			r.pos = r.seen + i + 1
			r.seen = r.pos
			if r.long {
				r.long = false
				continue
			}
			return bytes.TrimSuffix(line, []byte("\r")), at, nil
		}
		r.seen = len(r.buf)
		r.passLong()
		switch err := r.fill(); {
		case errors.Is(err, io.EOF):
			r.end = true
			if r.pos == len(r.buf) && cap(r.buf) > keptBuffer {
				r.base, r.buf, r.pos, r.seen = r.base+int64(r.pos), nil, 0, 0
			}
			return r.tail()
		case err != nil:
			return nil, 0, fmt.Errorf("recording %s: %w", r.path, err)
		}
	}
}

// passLong lets go of what was read of a line that is too long.
func (r *Reader) passLong() {
	known := r.seen - r.pos
	if !r.long && known > keptBuffer && lineLength(r.file, r.Offset(), known) > MaxLine {
		r.report(r.Offset(), ErrLongLine.Error())
		r.long = true
	}
	if r.long {
		r.base += int64(r.seen)
		r.buf, r.pos, r.seen = r.buf[:0], 0, 0
	}
}

// tail returns the last line if only its line feed is missing: no beginning of
// a JSON object is one itself.
func (r *Reader) tail() ([]byte, int64, error) {
	line, at := r.buf[r.pos:], r.Offset()
	if n := len(line); n < 2 || line[0] != '{' || line[n-1] != '}' || !wire.Valid(line) {
		return nil, 0, io.EOF
	}
	r.pos = len(r.buf)
	return line, at, nil
}

// grown returns io.EOF while the file has not changed since its end was
// reached. When it has, an incomplete line is read again: a writer in trouble
// takes it back.
func (r *Reader) grown() error {
	info, err := r.file.Stat()
	if err != nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	switch size := info.Size(); {
	case size == r.base+int64(len(r.buf)):
		return io.EOF
	case size < r.Offset():
		return fmt.Errorf("recording %s was shortened while it was read; open it again", r.path)
	}
	r.buf, r.seen, r.end = r.buf[:r.pos], r.pos, false
	return nil
}

// fill reads more of the file behind what is in the buffer.
func (r *Reader) fill() error {
	if len(r.buf) == cap(r.buf) {
		rest := r.buf[r.pos:]
		room := r.buf[:0]
		switch {
		case cap(r.buf) == 0:
			room = make([]byte, 0, firstRead)
		case len(rest) > keptBuffer:
			// The buffer of a huge line is made once, and no larger than needed.
			n := lineLength(r.file, r.Offset(), len(rest))
			room = hugeBuffer(max(n+readSize, len(rest)+len(rest)/4))
		case len(rest) > cap(r.buf)/2 && cap(r.buf) >= readSize:
			room = make([]byte, 0, 2*cap(r.buf))
		case cap(r.buf) < readSize || cap(r.buf) > keptBuffer && len(rest) < readSize/2:
			room = make([]byte, 0, readSize)
		}
		r.base += int64(r.pos)
		r.seen -= r.pos
		r.pos = 0
		r.buf = append(room, rest...)
	}
	n, err := r.file.ReadAt(r.buf[len(r.buf):cap(r.buf)], r.base+int64(len(r.buf)))
	r.buf = r.buf[:len(r.buf)+n]
	if n > 0 {
		return nil
	}
	return err
}

// Frame returns a frame that Next has come to already, with a payload that is
// the caller's. It may be called while another goroutine calls Next.
func (r *Reader) Frame(n uint64) (wire.Frame, error) {
	var f wire.Frame
	at, ok := r.lines.find(n)
	if !ok {
		return f, fmt.Errorf("frame %d of %s: %w", n, r.path, ErrNoFrame)
	}
	line, err := lineAt(r.file, at)
	if err == nil {
		err = parseLine(line, &f)
	}
	if err != nil {
		return f, fmt.Errorf("frame %d of %s: %w", n, r.path, err)
	}
	if len(f.Data) < keptBuffer || len(f.Data) < len(line)/2 {
		f.Data = bytes.Clone(f.Data) // not with the rest of the line
	}
	f.Data = slices.Clip(f.Data)
	return f, nil
}

// hugeBuffer makes a buffer for a huge line, once the one before is gone: the
// collector would allow two.
func hugeBuffer(n int) []byte {
	if n > 32<<20 {
		runtime.GC()
	}
	return make([]byte, 0, n)
}

// lineLength is how long the line is that begins at an offset, as far as it is
// there and can be read, or its first bytes, of which so many are known to be in it.
func lineLength(f io.ReaderAt, at int64, known int) int {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.ReadAt(buf, at+int64(known))
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return known + i + 1
		}
		if known += n; err != nil || n == 0 || known > MaxLine {
			return known
		}
	}
}

func lineAt(f io.ReaderAt, at int64) ([]byte, error) {
	buf := make([]byte, 0, 4<<10)
	for {
		n, err := f.ReadAt(buf[len(buf):cap(buf)], at+int64(len(buf)))
		seen := len(buf)
		buf = buf[:seen+n]
		if i := bytes.IndexByte(buf[seen:], '\n'); i >= 0 {
			return bytes.TrimSuffix(buf[:seen+i], []byte("\r")), nil
		}
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		room := make([]byte, 0, 4*len(buf))
		if len(buf) > keptBuffer {
			n := lineLength(f, at, len(buf))
			if n > MaxLine {
				return nil, ErrLongLine
			}
			room = hugeBuffer(max(n+1, len(buf)+len(buf)/4))
		}
		buf = append(room, buf...)
	}
}
