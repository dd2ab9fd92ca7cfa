package operation

import (
	"strings"
	"testing"

	"midwire/session"
)

// TestStderrIsSearchedToABound: a flood is searched for trouble at its beginning, and its last
// line is known.
func TestStderrIsSearchedToABound(t *testing.T) {
	var s Stderr
	line := []byte(strings.Repeat("at work ", 1<<17))
	for n := range maxSearched/len(line) + 1 {
		s.take(&session.Event{N: uint64(n + 1), Data: line})
	}
	s.take(&session.Event{N: 1000, Data: []byte("Error: no such file")})
	if len(s.First) > 0 || s.Last.N != 1000 {
		t.Errorf("found %v, the last is #%d", s.First, s.Last.N)
	}
	s = Stderr{}
	s.take(&session.Event{N: 1, Data: []byte("could not open x")})
	s.take(&session.Event{N: 2, Data: []byte("Error: no such file")})
	s.take(&session.Event{N: 3, Data: []byte("Error: another")})
	if s.First[0].N != 2 || s.Telling().N != 2 {
		t.Errorf("found %v", s.First)
	}
}
