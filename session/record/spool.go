package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxSpool is how many bytes of a stream Spool copies.
const maxSpool = 4 << 30

// Spool copies a recording of at most 4 GiB from a stream to a temporary file, which the caller
// removes. The error wraps ErrLongLine where the stream has a line that no reader reads.
func Spool(in io.Reader) (path string, err error) { return spool(in, maxSpool) }

func spool(in io.Reader, most int64) (path string, err error) {
	f, err := os.CreateTemp("", "midwire-*.jsonl")
	if err != nil {
		return "", fmt.Errorf("copy of the recording: %w", err)
	}
	defer f.Close()
	n, err := io.Copy(io.MultiWriter(new(lineMeter), f), io.LimitReader(in, most+1))
	if n > most {
		err = errors.New("standard input has more than 4 GiB; save it to a file, and name the file")
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("copy of the recording: %w", err)
	}
	return f.Name(), nil
}

// lineMeter refuses what makes a line too long to be read.
type lineMeter struct{ n int } // bytes of the line that has not ended

// Write implements io.Writer.
func (m *lineMeter) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if m.n += len(line); m.n > MaxLine {
			return 0, ErrLongLine
		}
		if line[len(line)-1] == '\n' {
			m.n = 0
		}
	}
	return len(p), nil
}

// tailLength is how many bytes a file has behind its last line feed, or more than can be read.
func tailLength(f io.ReaderAt, size int64) int {
	buf := make([]byte, 64<<10)
	for n := 0; ; {
		piece := buf[:min(int64(len(buf)), size-int64(n))]
		if len(piece) == 0 || n > MaxLine {
			return n
		}
		if _, err := f.ReadAt(piece, size-int64(n+len(piece))); err != nil {
			return n
		}
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			return n + len(piece) - i - 1
		}
		n += len(piece)
	}
}
