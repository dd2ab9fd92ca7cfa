package rules

import (
	"hash/fnv"
	"slices"
	"strconv"
)

// idSet is a set of JSON-RPC ids, as they are written. Integers that follow
// each other cost nothing. When it is full it forgets what comes later, so that
// it never says yes wrongly.
type idSet struct {
	spans []span
	texts map[uint64]struct{}
}

// span is a range of integers, both ends included.
type span struct{ from, to int64 }

const (
	maxSpans = 4096
	maxTexts = 1 << 16
)

func (s *idSet) add(id string) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		if len(s.texts) < maxTexts {
			made(&s.texts)[hashID(id)] = struct{}{}
		}
		return
	}
	i, found := s.find(n)
	switch {
	case found:
	case i > 0 && s.spans[i-1].to == n-1:
		s.spans[i-1].to = n
		if i < len(s.spans) && s.spans[i].from == n+1 {
			s.spans[i-1].to = s.spans[i].to
			s.spans = slices.Delete(s.spans, i, i+1)
		}
	case i < len(s.spans) && s.spans[i].from == n+1:
		s.spans[i].from = n
	case len(s.spans) < maxSpans:
		s.spans = slices.Insert(s.spans, i, span{n, n})
	}
}

// has says whether an id was added. For texts it compares hashes.
func (s *idSet) has(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		_, ok := s.texts[hashID(id)]
		return ok
	}
	_, found := s.find(n)
	return found
}

// find returns the index of the span that holds n, or of the first behind it.
func (s *idSet) find(n int64) (int, bool) {
	return slices.BinarySearchFunc(s.spans, n, func(p span, n int64) int {
		switch {
		case p.to < n:
			return -1
		case p.from > n:
			return 1
		}
		return 0
	})
}

func hashID(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
