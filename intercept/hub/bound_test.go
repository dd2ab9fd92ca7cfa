package hub

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestBoundsOfReaders: what has no end is an error at the bound, and what goes before
// it is taken.
func TestBoundsOfReaders(t *testing.T) {
	var got []string
	take := func(b []byte) { got = append(got, string(b)) }
	endless := io.MultiReader(strings.NewReader("a\nb\n"), &repeat{})
	if err := readLines(endless, 1<<20, take); !errors.Is(err, errTooLong) || len(got) != 2 {
		t.Errorf("%v after %d lines", err, len(got))
	}
	got = nil
	long := strings.Repeat("x", 200<<10)
	if err := readLines(strings.NewReader(long+"\n"+long+"\nlast"), 201<<10, take); err != nil || len(got) != 3 || got[1] != long+"\n" || got[2] != "last" {
		t.Errorf("%v, %d lines", err, len(got))
	}
	if b, err := readAll(&repeat{}, 1000); !errors.Is(err, errTooLong) || len(b) > 1001 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if b, err := readAll(strings.NewReader("1234"), 4); err != nil || len(b) != 4 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	var s stream
	events := 0
	if err := s.read(io.MultiReader(strings.NewReader("retry: 99999999999\ndata: {}\n\ndata: "), &repeat{}), func([]byte) { events++ }); !errors.Is(err, errTooLong) || events != 1 {
		t.Errorf("%d events, %v", events, err)
	}
	if s.retry != longestRetry {
		t.Errorf("it waits %v", s.retry)
	}
}

// repeat never ends.
type repeat struct{}

func (*repeat) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("x"), len(p))), nil }

// TestTextsAreShort: the hub's own errors are, whatever they quote.
func TestTextsAreShort(t *testing.T) {
	if m := failure(nil, 1, "s", "method not found: %q", strings.Repeat("ä\x00", 1<<20)); len(m) > 4*maxText {
		t.Errorf("%d bytes", len(m))
	}
	for _, m := range [][]byte{
		request("1", "x\x00\x7fİ\xff", nil), request("1", "\a", []byte("{}")), notification("\x00", nil), notification("\v", []byte("{}")),
	} {
		if _, ok := onlyMessage(m); !ok {
			t.Errorf("no message: %q", m)
		}
	}
}
