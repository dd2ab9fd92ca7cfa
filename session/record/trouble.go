package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"midwire/session/wire"
)

// When the disk refuses a write, the buffer keeps
// the lines that have their numbers already, later frames are counted and get
// none, and Flush tries again. A line that reached the file in part is removed
// from it, or, where the file cannot be cut, continued.

// write hands the buffer to the file. It returns false when not all of it went
// there; the rest is in the buffer still.
func (w *Writer) write() bool {
	if len(w.buf) == 0 {
		return true
	}
	if !w.fix() {
		return false
	}
	n, err := w.file.Write(w.buf)
	whole := w.good == w.size // the buffer starts with the beginning of a line
	w.size += int64(n)
	if i := bytes.LastIndexByte(w.buf[:n], '\n'); i >= 0 {
		w.good = w.size - int64(n-i-1)
		whole = true
	}
	if err == nil {
		w.buf = w.buf[:0]
		return true
	}
	if whole && w.good < w.size && w.file.Truncate(w.good) == nil {
		n -= int(w.size - w.good)
		w.size = w.good
	}
	w.buf = w.buf[:copy(w.buf, w.buf[n:])]
	w.fail(err)
	return false
}

// fix makes the next line begin on its own line, behind what could not
// be removed. Readers report and skip the torn line.
func (w *Writer) fix() bool {
	if !w.torn {
		return true
	}
	if w.file.Truncate(w.good) == nil {
		w.size, w.torn = w.good, false
		return true
	}
	if _, err := w.file.Write([]byte{'\n'}); err != nil {
		w.fail(err)
		return false
	}
	w.size++
	w.good, w.torn = w.size, false
	return true
}

// long writes a frame with a long payload without copying it into the buffer.
// It returns false when the frame is not in the recording.
func (w *Writer) long(f *wire.Frame, s shape, data []byte) bool {
	if !w.write() || !w.fix() {
		return false
	}
	end, err := w.stream(f, s, data)
	w.buf = w.buf[:0]
	if err != nil {
		if w.size > w.good {
			w.torn = true
			if w.file.Truncate(w.good) == nil {
				w.size, w.torn = w.good, false
			}
		}
		w.fail(err)
		return false
	}
	// From here on the line counts: should its end not reach the file now, it
	// will be continued.
	w.buf = append(w.buf, end...)
	w.write()
	return true
}

// stream writes a line up to its end, which it returns. The buffer, empty
// before, is used for what has to be encoded.
func (w *Writer) stream(f *wire.Frame, s shape, data []byte) (end string, err error) {
	const step = 48 << 10 // a multiple of 3, for base64
	w.buf = appendOpening(appendMeta(w.buf[:0], f), s, data)
	if err := w.put(w.buf); err != nil {
		return "", err
	}
	body := data[s.from:s.to]
	if s.form == asJSON || s.form == asEvent {
		return closing(s), w.put(body)
	}
	for len(body) > 0 {
		piece := body[:min(step, len(body))]
		body = body[len(piece):]
		w.buf = appendPiece(w.buf[:0], s, piece)
		if err := w.put(w.buf); err != nil {
			return "", err
		}
	}
	return closing(s), nil
}

func (w *Writer) put(p []byte) error {
	n, err := w.file.Write(p)
	w.size += int64(n)
	return err
}

// fail notes that the file did not take something.
func (w *Writer) fail(err error) {
	w.retry = w.opt.Now().Add(retryAfter)
	first := w.trouble.Load() == nil
	w.trouble.Store(&err)
	if first && w.opt.OnTrouble != nil {
		w.opt.OnTrouble(err)
	}
}

// checkRemoved says once that the file was removed: what is written to it
// still is taken, and no reader will ever see it.
func (w *Writer) checkRemoved() {
	f, ok := w.file.(*os.File)
	if now := w.opt.Now(); ok && !w.gone && now.After(w.look) {
		w.look = now.Add(retryAfter)
		if w.gone = isRemoved(f); w.gone && w.opt.OnTrouble != nil {
			w.opt.OnTrouble(fmt.Errorf("%s was removed while it was written", w.Path()))
		}
	}
}

// lose counts a frame that is not going to be recorded.
func (w *Writer) lose(f *wire.Frame) {
	size := int64(max(f.Len, len(f.Data)))
	w.missing.Frames++
	w.missing.Bytes += size
	w.lostFrames.Add(1)
	w.lostBytes.Add(size)
}

// resume tries whether the file takes anything again, and if so says in the
// recording what is missing.
func (w *Writer) resume() {
	if w.begin != nil {
		if err := w.begin(); err != nil {
			w.fail(err)
			return
		}
	}
	if !w.write() {
		return
	}
	if w.missing.Frames > 0 {
		gap := w.missing
		gap.Why = reason(*w.trouble.Load())
		w.missing = wire.Gap{}
		w.fact(wire.KindGap, gap)
		if !w.write() {
			return
		}
	}
	w.trouble.Store(nil)
	if w.opt.OnRecovered != nil {
		w.opt.OnRecovered()
	}
}

// reason is the reason without the name of the file, which the reader knows.
func reason(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// abandon counts what is still in the buffer as lost: the recording is closed.
func (w *Writer) abandon() {
	w.countBuffered()
	if w.size > w.good && w.file.Truncate(w.good) == nil {
		w.size = w.good
	}
	w.buf = nil
}

func (w *Writer) countBuffered() {
	for line := range bytes.Lines(w.buf) {
		var f wire.Frame
		// The rest of a line that reached the file in part does not parse and
		// counts as a frame anyway.
		_ = parseLine(bytes.TrimSuffix(line, []byte("\n")), &f)
		if f.Kind != wire.KindEnd && f.Kind != wire.KindGap {
			w.lose(&f)
		}
	}
}
