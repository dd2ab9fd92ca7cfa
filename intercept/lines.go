package intercept

import (
	"midwire/intercept/gate"
	"midwire/session/wire"
)

// maxLine is the longest line that is kept in memory to be recorded as one
// frame, maxStderr the longest of standard error, which is text for people. A longer one
// is recorded in parts. See also whole.
const (
	maxLine   = 64 << 20
	maxStderr = 1 << 20
)

// lineStream records one direction of a process's standard streams.
type lineStream struct {
	tap    *Tap
	kind   wire.Kind
	dir    wire.Dir
	framer wire.LineFramer
	torn   bool   // the current line has lost its beginning
	last   uint64 // number of the last frame
	fedAt  int64  // when the bytes that were fed last were read
	fed    int64  // how many they were
	opened int    // how much of the preface of HTTP/2 it has begun with; -1: it has not
	raw    bool   // it is no lines
	other  *lineStream
	seen   func(n uint64, line []byte) // told of each line that is a frame; nil for no one
}

// preface is how a client of HTTP/2 begins (RFC 9113 3.4), up to the end of its first
// line. Over stdio it is planned for MCP.
const preface = "PRI * HTTP/2.0"

// is2 says whether the client's stream is HTTP/2, which its first bytes tell. Then what
// there is of a line, on both streams, is none.
func (s *lineStream) is2(t int64, p []byte) bool {
	if s.raw || s.dir != wire.ToServer || s.opened < 0 {
		return s.raw
	}
	n := min(len(p), len(preface)-s.opened)
	if string(p[:n]) != preface[s.opened:s.opened+n] {
		s.opened = -1
		return false
	}
	if s.opened += n; s.opened < len(preface) {
		return false
	}
	s.tap.fact(t, wire.Frame{Kind: wire.KindNote, Dir: s.dir, X: 1}, wire.Note{
		Text: "the client speaks HTTP/2 over these streams, and not lines of JSON: they pass as they are, and are recorded as bytes that are not read",
	})
	for _, of := range []*lineStream{s, s.other} {
		if of == nil {
			continue
		}
		of.raw = true
		of.bytes(t, of.framer.Rest())
		of.framer.Release()
	}
	return true
}

func (s *lineStream) bytes(t int64, p []byte) {
	if len(p) > 0 {
		s.tap.append(t, wire.Frame{Kind: wire.KindRaw, Dir: s.dir, X: 1, Data: p})
		s.last = s.tap.frame.N
	}
}

func newLineStream(t *Tap, k wire.Kind, d wire.Dir) *lineStream {
	return &lineStream{tap: t, kind: k, dir: d, framer: wire.NewLineFramer(t.room)}
}

func (s *lineStream) feed(t int64, p []byte) {
	if t != s.fedAt {
		s.fedAt, s.fed = t, 0
	}
	s.fed += int64(len(p))
	if s.is2(t, p) {
		s.bytes(t, p)
		return
	}
	s.framer.Feed(p, func(line []byte, eol string) {
		f := wire.Frame{Kind: s.kind, Dir: s.dir, X: 1, EOL: eol, Data: line}
		if s.torn {
			s.torn, f.Part = false, wire.Cut
		}
		s.tap.append(t, f)
		if s.last = s.tap.frame.N; s.seen != nil {
			s.seen(s.last, line)
		}
	})
	most := s.tap.maxLine
	if s.kind == wire.KindStderr {
		most = min(most, maxStderr)
	}
	if s.framer.Pending() > most {
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

func (s lineSeen) streamOf(d wire.Dir) *lineStream {
	if d == wire.ToServer {
		return s.up
	}
	return s.down
}

func (s lineSeen) state() gate.State {
	return gate.State{Partial: [2]bool{s.up.begun(), s.down.begun()}}
}

func (s lineSeen) latest(d wire.Dir) (uint64, uint32) { return s.streamOf(d).last, 1 }

func (s lineSeen) made(t int64, d wire.Dir, k wire.Kind, data []byte) {
	s.streamOf(d).tap.append(t, wire.Frame{Kind: k, Dir: d, X: 1, EOL: "\n", Data: data})
}

func (lineSeen) countAnswer() {}
