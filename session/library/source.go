package library

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/jsonpath"
	"midwire/session/record"
	"midwire/session/stack"
	"midwire/session/wire"
	"midwire/session/words"
)

// Code finds lines of code for a user at a screen. Any goroutine may call its methods.
type Code struct {
	Path func(id string) string // where the recording of an id is
	Own  func(path string) bool // it was made here: then the files of its server are read
}

// maxCode bounds which recordings are read for it, in bytes.
const maxCode = 256 << 20

// Place is where in the server's code a finding about some frames of a recording comes from,
// with the lines there where the recording is the user's own; nil where no trace says.
func (c *Code) Place(rec string, frames []uint64) (*stack.Place, error) {
	path := c.Path(rec)
	if info, err := os.Stat(path); err != nil || info.Size() > maxCode {
		return nil, err
	}
	r, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := r.Header()
	var code sources
	var f wire.Frame
	for err = r.Next(&f); err == nil; err = r.Next(&f) {
		code.take(&h, &f)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	load := func(n uint64) *wire.Frame {
		f, err := r.Frame(n)
		if err != nil {
			return nil
		}
		return &f
	}
	p := code.place(&diagnose.Finding{Frames: frames}, load)
	if p != nil && c.Own(path) {
		*p = Look(p.Frame, code.folders)
	}
	return p, nil
}

// sources finds the line of code that a finding comes from: in stack traces of its frames,
// and of what the server printed about then.
type sources struct {
	printed []moment // frames of standard error
	folders []string // that the server's code lies in
}

// moment is a frame and its time.
type moment struct {
	n uint64
	t int64
}

// maxPrinted is how many lines of standard error are known.
const maxPrinted = 1 << 16

// take notes a frame of the recording.
func (s *sources) take(h *record.Header, f *wire.Frame) {
	switch {
	case f.Kind == wire.KindStderr && len(s.printed) < maxPrinted:
		s.printed = append(s.printed, moment{f.N, f.T})
	case f.Kind == wire.KindStart:
		var start wire.Start
		if json.Unmarshal(f.Data, &start) != nil {
			return
		}
		s.folders = append(s.folders, h.Cwd)
		for i, p := range start.Files {
			if i > 0 { // not where the interpreter is
				s.folders = append(s.folders, filepath.Dir(p.Path))
			}
		}
	}
}

// place is where a finding comes from, nil where no trace says.
func (s *sources) place(f *diagnose.Finding, load func(uint64) *wire.Frame) *stack.Place {
	for _, n := range f.Frames {
		frame := load(n)
		if frame == nil {
			continue
		}
		for _, text := range [...]string{texts(frame), s.stderrNear(frame, load)} {
			if own, ok := stack.OwnCode(stack.Find(text)); ok && (own.Own || frame.Dir == wire.ToClient) {
				return &stack.Place{Frame: own}
			}
		}
	}
	return nil
}

// texts are the texts with several lines in a message of the server.
func texts(f *wire.Frame) string {
	if f.Dir != wire.ToClient || f.Kind == wire.KindStderr {
		return ""
	}
	var b strings.Builder
	jsonpath.Leaves(f.Data, nil, func(_ jsonpath.Path, value []byte) bool {
		if text := wire.Said(value); strings.Contains(text, "\n") && b.Len() < 1<<16 {
			b.WriteString(text + "\n")
		}
		return true
	})
	return b.String()
}

// stderrNear is what the server printed from 50 milliseconds before a frame to a second behind it,
// before an exit from two seconds before.
func (s *sources) stderrNear(f *wire.Frame, load func(uint64) *wire.Frame) string {
	const most, mostText, mostLine = 200, 1 << 20, 64 << 10
	from, to := f.T-int64(50*time.Millisecond), f.T+int64(time.Second)
	if f.Kind == wire.KindExit || f.Kind == wire.KindStderr {
		from = f.T - int64(2*time.Second)
	}
	var b strings.Builder
	lines := 0
	for _, m := range s.printed {
		if m.t < from || m.t > to || lines == most || b.Len() >= mostText {
			continue
		}
		if one := load(m.n); one != nil {
			b.Write(words.Clip(one.Data, mostLine))
			b.WriteByte('\n')
			lines++
		}
	}
	return b.String()
}
