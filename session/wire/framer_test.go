package wire

import (
	"bytes"
	"strings"
	"testing"
)

// splits feeds data in pieces whose lengths come from seed.
func splits(data, seed []byte, feed func(p []byte)) {
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if len(seed) > 0 {
			n = min(n, int(seed[i%len(seed)])%17+1)
		}
		feed(data[:n])
		data = data[n:]
	}
}

func FuzzLineFramer(f *testing.F) {
	f.Add([]byte("{\"a\":1}\r\n\n\r\nx\r\rlast"), []byte{1, 5, 2})
	f.Add([]byte(strings.Repeat("y", 5000)+"\nz"), []byte{16})
	f.Add([]byte("\n\n\n"), []byte{})
	f.Fuzz(func(t *testing.T, data, seed []byte) {
		var fr LineFramer
		var back []byte
		splits(data, seed, func(p []byte) {
			fr.Feed(append([]byte(nil), p...), func(line []byte, eol string) {
				if bytes.IndexByte(line, '\n') >= 0 || eol == "\n" && bytes.HasSuffix(line, []byte("\r")) {
					t.Fatalf("line %q with eol %q", line, eol)
				}
				back = append(append(back, line...), eol...)
			})
		})
		if got := append(back, fr.Rest()...); !bytes.Equal(got, data) {
			t.Fatalf("got %q of %q", got, data)
		}
	})
}

func FuzzEventFramer(f *testing.F) {
	f.Add([]byte("event: endpoint\r\ndata: /m?sessionId=1\r\n\r\n: ping\n\ndata: a\ndata: b\n\nid: 1\rdata:\r\r"), []byte{3})
	f.Add([]byte("data: x\r\n\r"), []byte{1})
	f.Add([]byte("\n\n\r\n\r\r\n"), []byte{1, 2})
	f.Fuzz(func(t *testing.T, data, seed []byte) {
		var whole, pieces []string
		var back []byte
		for _, run := range []struct {
			seed []byte
			out  *[]string
		}{{nil, &whole}, {seed, &pieces}} {
			var fr EventFramer
			back = back[:0]
			yield := func(raw []byte) {
				*run.out = append(*run.out, string(raw))
				back = append(back, raw...)
			}
			splits(data, run.seed, func(p []byte) { fr.Feed(append([]byte(nil), p...), yield) })
			rest := fr.Rest()
			*run.out = append(*run.out, string(rest))
			if back = append(back, rest...); !bytes.Equal(back, data) {
				t.Fatalf("got %q of %q", back, data)
			}
		}
		if strings.Join(whole, "|") != strings.Join(pieces, "|") {
			t.Fatalf("blocks depend on how the bytes arrive: %q or %q", whole, pieces)
		}
	})
}

func TestParseEvent(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		want Event
	}{
		{"data: x\n\n", Event{HasData: true, Data: []byte("x")}},
		{"\xef\xbb\xbfdata:x\r\ndata:  y\r\n\r\n", Event{HasData: true, Data: []byte("x\n y")}},
		{"event: endpoint\ndata: /m\n\n", Event{Name: "endpoint", HasData: true, Data: []byte("/m")}},
		{"id: 7\nretry: 100\ndata\n\n", Event{ID: "7", HasID: true, Retry: "100", HasData: true}},
		{": ping\n\n", Event{}},
		{"id\rdata: a\rdata: b\r\r", Event{HasID: true, HasData: true, Data: []byte("a\nb")}},
	} {
		got := ParseEvent([]byte(tc.raw))
		if got.Name != tc.want.Name || got.ID != tc.want.ID || got.HasID != tc.want.HasID || got.Retry != tc.want.Retry || got.HasData != tc.want.HasData || !bytes.Equal(got.Data, tc.want.Data) {
			t.Errorf("%q: %+v, want %+v", tc.raw, got, tc.want)
		}
	}
}

// rooms counts what was lent and not given back, and spoils what was.
type rooms struct {
	size       int
	lent, open int
}

func (r *rooms) room() ([]byte, func()) {
	r.lent++
	r.open++
	b := make([]byte, r.size)
	return b[:0], func() {
		r.open--
		for i := range b {
			b[i] = '!'
		}
	}
}

// Long lines are collected in a room, or beyond it, and arrive as they were; a
// room is kept for the next long line, and given back when it is not worth it.
func TestRoomForLongLines(t *testing.T) {
	for _, size := range []int{0, longUnit + 1, 3 << 20, 32 << 20} {
		r := &rooms{size: size}
		f := NewLineFramer(r.room)
		for i, n := range []int{100, longUnit + 5, 2 << 20, 6 << 20, 6 << 20, 300, longUnit, 5 << 20, 20 << 20, 40 << 20, 7, 2 << 20} {
			line := bytes.Repeat([]byte{'a' + byte(i)}, n)
			got := 0
			feed := func(p []byte) {
				f.Feed(p, func(raw []byte, eol string) {
					got++
					if !bytes.Equal(raw, line) || eol != "\n" {
						t.Errorf("room of %d, line %d of %d bytes: %d bytes, %q", size, i, n, len(raw), raw[:min(5, len(raw))])
					}
				})
			}
			for p := append(bytes.Clone(line), '\n'); len(p) > 0; {
				m := min(len(p), 100_000, n/2+1)
				feed(p[:m])
				p = p[m:]
			}
			if got != 1 {
				t.Errorf("room of %d, line %d: %d lines", size, i, got)
			}
			if n < 1000 && r.open > 0 || r.open > 1 {
				t.Errorf("room of %d, line %d of %d bytes: %d rooms are held", size, i, n, r.open)
			}
		}
		f.Feed(bytes.Repeat([]byte("x"), 2<<20), nil)
		f.Drop()
		if r.open != 0 || size > 6<<20 && r.lent > 5 {
			t.Errorf("room of %d: lent %d times, %d not given back", size, r.lent, r.open)
		}
	}
}
