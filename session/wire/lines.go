package wire

import "bytes"

// Pieces collects a unit that arrived in several reads. A unit that arrived
// whole is not copied. Usual ones are copied once, into a buffer that is used
// again; long ones into the room that there is for them, which never has to
// grow. Without a room a huge one is collected in parts and joined once, so
// that it costs about twice its size and not more. The zero value is empty.
type Pieces struct {
	Room Room // nil for none

	buf   []byte   // all that was added, as long as it is not in parts
	parts [][]byte // all that was added to a huge one
	size  int
	free  func() // gives back the room that buf is in, nil when it is in none
	limit int    // of the room
	used  int    // of it, at most
	spent bool   // the room is to be given back
}

// Room returns memory of no length for a unit that has become long, and what
// gives it back. No memory at all means that there is none.
type Room func() (room []byte, free func())

const (
	longUnit  = 1 << 20  // from here on a unit is collected in a room
	hugeUnit  = 17 << 20 // and from here in parts; nor is a room kept that has taken so much
	pieceSize = 64 << 10 // least size of a part
	keepSize  = 16 << 10 // a larger buffer is given up when its unit was small
)

// Add copies p behind what there is.
func (j *Pieces) Add(p []byte) {
	if len(p) == 0 {
		return
	}
	j.Release()
	j.size += len(p)
	if j.parts == nil && (j.size > longUnit && j.hasRoom() || j.size <= hugeUnit) {
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

// hasRoom reports whether the unit fits where it is, or in a room.
func (j *Pieces) hasRoom() bool {
	if j.size <= cap(j.buf) || j.free != nil || j.Room == nil {
		return j.size <= cap(j.buf)
	}
	room, free := j.Room()
	if cap(room) < j.size {
		if free != nil {
			free()
		}
		return false
	}
	j.buf, j.free, j.used = append(room, j.buf...), free, 0
	j.limit = cap(room)
	return true
}

// Release gives back the room of a unit that was taken, when it is not worth
// keeping. It is to be called once that unit is done with; Add does so at the
// latest.
func (j *Pieces) Release() {
	if j.spent {
		j.free()
		j.free, j.spent = nil, false
	}
}

// Drop forgets everything and gives back the room, whatever it is worth. It is
// to be called by the owner of a Room, at the end.
func (j *Pieces) Drop() {
	if j.free != nil {
		j.free()
	}
	*j = Pieces{Room: j.Room}
}

// Take returns everything added followed by tail, and starts again. Without
// anything added it returns tail itself. The result is valid until the next
// Add or Release.
func (j *Pieces) Take(tail []byte) []byte {
	if j.size == 0 {
		return tail
	}
	size := j.size + len(tail)
	j.size = 0
	if j.parts == nil {
		all := append(j.buf, tail...)
		kept := cap(all)
		if j.free != nil {
			j.used = max(j.used, size)
			kept = j.used
		}
		j.spent = j.free != nil && (size < kept/4 || size > hugeUnit || cap(all) != j.limit)
		if j.buf = all[:0]; j.spent || kept > keepSize && size < kept/4 {
			j.buf = nil
		}
		return all
	}
	all := make([]byte, 0, size)
	for i, p := range j.parts {
		all = append(all, p...)
		j.parts[i] = nil
	}
	j.parts, j.spent = nil, j.free != nil
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

// NewLineFramer returns a framer with room for long lines. Whoever takes its
// Rest calls Release afterwards, and Drop at the end.
func NewLineFramer(room Room) LineFramer { return LineFramer{buf: Pieces{Room: room}} }

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
		f.buf.Release()
	}
}

// Pending is the number of bytes of the line that has not ended yet.
func (f *LineFramer) Pending() int { return f.buf.size }

// Rest returns the line that has not ended, and forgets it. Nil when there is
// none.
func (f *LineFramer) Rest() []byte { return f.buf.rest() }

// Release gives back the memory of what Rest returned, when it is much.
func (f *LineFramer) Release() { f.buf.Release() }

// Drop gives back all memory.
func (f *LineFramer) Drop() { f.buf.Drop() }
