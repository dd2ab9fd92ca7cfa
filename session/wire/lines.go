package wire

import "bytes"

// Pieces collects a unit that arrived in several reads. A unit that arrived
// whole is not copied. Usual ones are copied once, into a buffer that is used
// again. A huge one is copied into pieces and joined once, so that it costs
// about twice its size and not more. The zero value is empty.
type Pieces struct {
	buf   []byte   // all that was added, as long as it is not huge
	parts [][]byte // all that was added to a huge one
	size  int
}

const (
	hugeUnit  = 17 << 20 // from here on a unit is collected in parts
	pieceSize = 64 << 10 // least size of a part
	keepSize  = 16 << 10 // a larger buffer is given up when its unit was small
)

// Add copies p behind what there is.
func (j *Pieces) Add(p []byte) {
	if len(p) == 0 {
		return
	}
	j.size += len(p)
	if j.size <= hugeUnit {
		j.buf = append(j.buf, p...)
		return
	}
	if j.parts == nil {
		j.parts = [][]byte{j.buf}
		j.buf = nil
	}
	last := &j.parts[len(j.parts)-1]
	n := min(cap(*last)-len(*last), len(p))
	*last = append(*last, p[:n]...)
	if p = p[n:]; len(p) > 0 {
		j.parts = append(j.parts, append(make([]byte, 0, max(len(p), pieceSize)), p...))
	}
}

// Take returns everything added followed by tail, and starts anew. Without
// anything added it returns tail itself. The result is valid until the next
// Add.
func (j *Pieces) Take(tail []byte) []byte {
	if j.size == 0 {
		return tail
	}
	size := j.size + len(tail)
	j.size = 0
	if j.parts == nil {
		all := append(j.buf, tail...)
		j.buf = all[:0]
		if cap(all) > keepSize && size < cap(all)/4 {
			j.buf = nil
		}
		return all
	}
	all := make([]byte, 0, size)
	for i, p := range j.parts {
		all = append(all, p...)
		j.parts[i] = nil
	}
	j.parts = nil
	return append(all, tail...)
}

// Size is the number of bytes added.
func (j *Pieces) Size() int { return j.size }

func (j *Pieces) rest() []byte {
	if j.size == 0 {
		return nil
	}
	return j.Take(nil)
}

// LineFramer cuts a byte stream into lines that end with a line feed (MCP
// stdio: one message per line). Every byte is in exactly one line or its
// terminator.
type LineFramer struct {
	buf Pieces
}

// Feed takes the next bytes and calls yield with every line they complete,
// without its terminator, which is "\n" or "\r\n". The line is valid during
// the call only.
func (f *LineFramer) Feed(p []byte, yield func(line []byte, eol string)) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			f.buf.Add(p)
			return
		}
		line := f.buf.Take(p[:i])
		p = p[i+1:]
		if n := len(line); n > 0 && line[n-1] == '\r' {
			yield(line[:n-1], "\r\n")
		} else {
			yield(line, "\n")
		}
	}
}

// Pending is the number of bytes of the line that has not ended yet.
func (f *LineFramer) Pending() int { return f.buf.size }

// Rest returns the line that has not ended, and forgets it. Nil when there is
// none.
func (f *LineFramer) Rest() []byte { return f.buf.rest() }
