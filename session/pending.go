package session

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"midwire/session/wire"
)

// idTable finds a row by a typed JSON-RPC id or progress token: "1" and 1 are
// different. Small numbers cost no allocation.
type idTable struct {
	ints  map[uint32]int32
	texts map[string]int32
}

func (t *idTable) get(raw []byte) (int32, bool) {
	if n, ok := smallInt(raw); ok {
		row, ok := t.ints[n]
		return row, ok
	}
	if len(t.texts) == 0 {
		return -1, false
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		row, ok := t.texts[wire.ID(raw)]
		return row, ok
	}
	row, ok := t.texts[string(raw)]
	return row, ok
}

func (t *idTable) put(raw []byte, row int32) {
	if n, ok := smallInt(raw); ok {
		if t.ints == nil {
			t.ints = map[uint32]int32{}
		}
		t.ints[n] = row
		return
	}
	if t.texts == nil {
		t.texts = map[string]int32{}
	}
	if len(t.texts) >= maxIDs {
		for _, id := range oldest(t.texts, func(_ string, row int32) int32 { return row }) {
			delete(t.texts, id)
		}
	}
	t.texts[wire.ID(raw)] = row
}

// drop forgets an id, if it still means that row.
func (t *idTable) drop(raw []byte, row int32) {
	if n, ok := smallInt(raw); ok {
		if t.ints[n] == row {
			delete(t.ints, n)
		}
		return
	}
	key := wire.ID(raw)
	if r, ok := t.texts[key]; ok && r == row {
		delete(t.texts, key)
	}
}

// sameID compares two ids as they were written.
func sameID(a string, b []byte) bool {
	return a == string(b) ||
		(strings.IndexByte(a, '\\') >= 0 || bytes.IndexByte(b, '\\') >= 0) && wire.ID([]byte(a)) == wire.ID(b)
}

// otherSpelling is an id of digits as a text, and the text as a number; nil of any other.
func otherSpelling(id []byte) []byte {
	digits := bytes.Trim(id, `"`)
	noDigit := func(r rune) bool { return r < '0' || r > '9' }
	if len(digits) == 0 || len(digits) > 16 || bytes.ContainsFunc(digits, noDigit) {
		return nil
	}
	if len(digits) < len(id) {
		return digits
	}
	return append(append([]byte{'"'}, digits...), '"')
}

// scope is where an id means one request: a process, or the session of an
// HTTP server. Each direction has its own ids.
type scope struct {
	calls   [2]idTable // by the direction of the request
	tokens  [2]idTable // progress tokens, by the direction of the request
	twins   []twin     // requests whose id was used again while they were pending
	tokenOf map[int32][]byte
}

type twin struct {
	id  string
	dir wire.Dir
	row int32
}

func side(d wire.Dir) int {
	if d == wire.ToClient {
		return 1
	}
	return 0
}

// add notes a pending request.
func (s *scope) add(d wire.Dir, id []byte, row int32) {
	table := &s.calls[side(d)]
	if old, ok := table.get(id); ok && len(s.twins) < maxTwins {
		s.twins = append(s.twins, twin{wire.ID(id), d, old})
	}
	table.put(id, row)
}

const maxTwins = 1024

// find returns the pending request with that id; of several the oldest.
func (s *scope) find(d wire.Dir, id []byte) (int32, bool) {
	for i := range s.twins {
		if s.twins[i].dir == d && sameID(s.twins[i].id, id) {
			return s.twins[i].row, true
		}
	}
	return s.calls[side(d)].get(id)
}

// remove forgets a request.
func (s *scope) remove(d wire.Dir, id []byte, row int32) {
	for i := range s.twins {
		if s.twins[i].row == row {
			s.twins = slices.Delete(s.twins, i, i+1)
			return
		}
	}
	s.calls[side(d)].drop(id, row)
}

// removeInt forgets a request whose id is a small number.
func (s *scope) removeInt(d wire.Dir, id uint32, row int32) {
	for i := range s.twins {
		if s.twins[i].row == row {
			s.twins = slices.Delete(s.twins, i, i+1)
			return
		}
	}
	ints := s.calls[side(d)].ints
	if ints[id] == row {
		delete(ints, id)
	}
}

// addToken notes the progress token of a pending request.
func (s *scope) addToken(d wire.Dir, token []byte, row int32) {
	if len(s.tokenOf) >= maxExchanges {
		for _, row := range oldest(s.tokenOf, func(row int32, _ []byte) int32 { return row }) {
			s.dropToken(d, row)
		}
	}
	token = clipID(token)
	s.tokens[side(d)].put(token, row)
	if s.tokenOf == nil {
		s.tokenOf = map[int32][]byte{}
	}
	s.tokenOf[row] = slices.Clone(token)
}

func (s *scope) dropToken(d wire.Dir, row int32) {
	if len(s.tokenOf) == 0 {
		return
	}
	if token, ok := s.tokenOf[row]; ok {
		s.tokens[side(d)].drop(token, row)
		delete(s.tokenOf, row)
	}
}

// pending returns the rows of all requests that are known, in order.
func (s *scope) pending() []int32 {
	var rows []int32
	for i := range s.calls {
		rows = slices.AppendSeq(rows, maps.Values(s.calls[i].ints))
		rows = slices.AppendSeq(rows, maps.Values(s.calls[i].texts))
	}
	for i := range s.twins {
		rows = append(rows, s.twins[i].row)
	}
	slices.Sort(rows)
	return rows
}
