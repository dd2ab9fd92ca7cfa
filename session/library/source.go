package library

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/jsonpath"
	"midwire/session/record"
	"midwire/session/stack"
	"midwire/session/wire"
)

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
		for _, text := range [...]string{texts(frame), s.near(frame, load)} {
			if own, ok := stack.Own(stack.Find(text)); ok && (own.Own || frame.Dir == wire.ToClient) {
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
		if text := wire.Text(value); strings.Contains(text, "\n") && b.Len() < 1<<16 {
			b.WriteString(text + "\n")
		}
		return true
	})
	return b.String()
}

// near is what the server printed from 50 milliseconds before a frame to a second behind it,
// before an exit from two seconds before.
func (s *sources) near(f *wire.Frame, load func(uint64) *wire.Frame) string {
	const most = 200
	from, to := f.T-int64(50*time.Millisecond), f.T+int64(time.Second)
	if f.Kind == wire.KindExit || f.Kind == wire.KindStderr {
		from = f.T - int64(2*time.Second)
	}
	var b strings.Builder
	lines := 0
	for _, m := range s.printed {
		if m.t < from || m.t > to || lines == most {
			continue
		}
		if one := load(m.n); one != nil {
			b.WriteString(string(one.Data) + "\n")
			lines++
		}
	}
	return b.String()
}
