package session

import (
	"strconv"

	"midwire/session/words"
)

const (
	chunkBits = 12
	chunkRows = 1 << chunkBits
)

// rowStore keeps rows in chunks: growing it never moves a row, and a recording
// of a million frames costs no more than its rows.
type rowStore struct {
	chunks [][]Row
	n      int
}

func (s *rowStore) add(r Row) int {
	if s.n>>chunkBits == len(s.chunks) {
		size := chunkRows
		if s.n == 0 {
			size = 64 // most recordings are short
		}
		s.chunks = append(s.chunks, make([]Row, 0, size))
	}
	c := &s.chunks[s.n>>chunkBits]
	*c = append(*c, r)
	s.n++
	return s.n - 1
}

// row returns a row. The pointer is valid until the next add: the first chunk
// grows like any slice.
func (s *rowStore) row(i int) *Row {
	return &s.chunks[i>>chunkBits][i&(chunkRows-1)]
}

// inlineInt marks a name that is a small number and stored nowhere: a million
// calls have a million ids, most of them numbers.
const inlineInt = 1 << 31

const maxName = 512 // longer names are cut; honest peers have shorter ones

// nameTable holds names by number. Number 0 is the empty name.
type nameTable struct {
	list  []string
	index map[string]uint32
	bytes int
}

// unnamed is the number of all names for which there is no room.
const unnamed = 1

// intern returns the number of a name that is likely to come again.
func (t *nameTable) intern(name []byte) uint32 {
	name = words.Clip(name, maxName)
	if i, ok := t.index[string(name)]; ok {
		return i
	}
	s := string(name)
	i := t.append(s)
	if i != unnamed {
		t.index[s] = i
	}
	return i
}

func (t *nameTable) internString(name string) uint32 {
	if i, ok := t.index[name]; ok {
		return i
	}
	return t.intern([]byte(name))
}

// append returns the number of a name that is not looked for again.
func (t *nameTable) append(name string) uint32 {
	if t.bytes += len(name); t.bytes > maxNames {
		return unnamed
	}
	t.list = append(t.list, name)
	return uint32(len(t.list) - 1)
}

func (t *nameTable) name(i uint32) string {
	if i&inlineInt != 0 {
		return strconv.FormatUint(uint64(i&^inlineInt), 10)
	}
	if int(i) >= len(t.list) {
		return ""
	}
	return t.list[i]
}

// smallInt reads a whole number that fits beside the mark, written in the one
// way that loses nothing: no sign, no leading zero.
func smallInt(raw []byte) (uint32, bool) {
	if len(raw) == 0 || len(raw) > 9 || raw[0] == '0' && len(raw) > 1 {
		return 0, false
	}
	var n uint32
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint32(c-'0')
	}
	return n | inlineInt, true
}
