package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var oneMessagePerLine = rule("one-message-per-line", diagnose.Noise, func(c *diagnose.Case) {
	if !overStdio(c) || c.Frame.Kind != wire.KindLine {
		return
	}
	p := &diagnose.State[printed](c)[side(c.Dir)]
	if frames, ok := p.add(c.N, c.Data); ok {
		blameSender(c, "lines", "spread a message over several lines, from "+frame(frames[0])+" to "+frame(c.N)+".", frames...)
		return
	}
	if b := bytes.TrimSpace(c.Data); len(b) > 0 && b[0] == '{' && classify(c.Data) == twoOnALine {
		blameSender(c, "line", "put several messages on one line ("+frame(c.N)+").")
	}
})

func side(d wire.Dir) int {
	if d == wire.ToServer {
		return 0
	}
	return 1
}

// printed collects the lines of a message that was pretty-printed, by
// direction.
type printed [2]pieces

type pieces struct {
	data   []byte
	frames []uint64
	lines  int
}

const (
	maxPrinted = 64 << 10 // bytes of a message that is put together
	maxLines   = 500
)

// add takes a line that is no message. It returns the frames of a message and
// true when the line was its last.
func (p *pieces) add(n uint64, line []byte) ([]uint64, bool) {
	b := bytes.TrimSpace(line)
	if len(p.data) == 0 && (len(b) == 0 || b[0] != '{' && b[0] != '[' || wire.Valid(b)) {
		return nil, false
	}
	if p.lines++; p.lines > maxLines || len(p.data)+len(line) > maxPrinted {
		*p = pieces{}
		return nil, false
	}
	p.data = append(append(p.data, line...), '\n')
	if len(p.frames) < diagnose.MaxFrames {
		p.frames = append(p.frames, n)
	}
	if len(b) == 0 || b[len(b)-1] != '}' && b[len(b)-1] != ']' {
		return nil, false
	}
	if m, _ := wire.ScanMessages(p.data, func(int, wire.Message) bool { return true }); m == 0 {
		return nil, false
	}
	frames := p.frames
	*p = pieces{}
	return frames, true
}
