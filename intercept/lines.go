package intercept

import (
	"midwire/intercept/gate"
	"midwire/session/wire"
)

// maxLine is the longest line that is kept in memory to be recorded as one
// frame. A longer one is recorded in parts. See also whole.
const maxLine = 256 << 20

// lineStream records one direction of a process's standard streams.
type lineStream struct {
	tap    *Tap
	kind   wire.Kind
	dir    wire.Dir
	framer wire.LineFramer
	torn   bool   // the current line has lost its beginning
	last   uint64 // number of the last frame
}

func newLineStream(t *Tap, k wire.Kind, d wire.Dir) *lineStream {
	return &lineStream{tap: t, kind: k, dir: d, framer: wire.NewLineFramer(t.room)}
}

func (s *lineStream) feed(t int64, p []byte) {
	s.framer.Feed(p, func(line []byte, eol string) {
		f := wire.Frame{Kind: s.kind, Dir: s.dir, X: 1, EOL: eol, Data: line}
		if s.torn {
			s.torn, f.Part = false, wire.Cut
		}
		s.tap.append(t, f)
		s.last = s.tap.frame.N
	})
	if s.framer.Pending() > s.tap.maxLine {
		s.tap.append(t, wire.Frame{Kind: s.kind, Dir: s.dir, X: 1, Part: wire.More, Data: s.framer.Rest()})
		s.framer.Release()
	}
}

// begun reports whether a line has begun and not ended.
func (s *lineStream) begun() bool { return s.torn || s.framer.Pending() > 0 }

func (s *lineStream) lost(t int64, _ int64) {
	s.cut(t, wire.Cut)
	s.torn = true
}

// cut records what there is of a line that will not be completed.
func (s *lineStream) cut(t int64, part wire.Part) {
	if rest := s.framer.Rest(); rest != nil {
		s.tap.append(t, wire.Frame{Kind: s.kind, Dir: s.dir, X: 1, Part: part, Data: rest})
		s.framer.Release()
	}
}

// end records the end of the stream. A last line without a terminator is
// whole when the stream ended properly.
func (s *lineStream) end(t int64, c wire.Close) {
	part := wire.Whole
	if !c.Clean {
		part = wire.Cut
	}
	s.cut(t, part)
	s.framer.Drop()
	if s.kind == wire.KindLine {
		s.tap.fact(t, wire.Frame{Kind: wire.KindClose, Dir: s.dir, X: 1}, c)
	}
}

// lineSeen is what the observer knows of the streams of a process.
type lineSeen struct{ up, down *lineStream }

func (s lineSeen) of(d wire.Dir) *lineStream {
	if d == wire.ToServer {
		return s.up
	}
	return s.down
}

func (s lineSeen) state() gate.State {
	return gate.State{Partial: [2]bool{s.up.begun(), s.down.begun()}}
}

func (s lineSeen) latest(d wire.Dir) (uint64, uint32) { return s.of(d).last, 1 }

func (s lineSeen) made(t int64, d wire.Dir, k wire.Kind, data []byte) {
	s.of(d).tap.append(t, wire.Frame{Kind: k, Dir: d, X: 1, EOL: "\n", Data: data})
}

func (lineSeen) ours() {}
