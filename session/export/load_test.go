package export

import (
	"testing"

	"midwire/session/wire"
)

// However the messages of a huge batch and their responses are asked for, the
// frames are read a few times and not once for each.
func TestHugeFramesAreReadAFewTimes(t *testing.T) {
	const messages = 1000
	huge := make([]byte, keptBytes/2+1)
	one := func(n uint64) []byte {
		if n == 1 {
			return huge
		}
		return huge[:100]
	}
	for name, c := range map[string]struct {
		payload func(n uint64) []byte
		ask     func(i uint64) (request, response uint64)
		most    int // loads of frame 1
	}{
		"two that fit":             {func(uint64) []byte { return huge[:keptBytes/2] }, func(uint64) (uint64, uint64) { return 1, 2 }, 1},
		"two that do not":          {func(uint64) []byte { return huge }, func(uint64) (uint64, uint64) { return 1, 2 }, maxLoads},
		"responses of their own":   {one, func(i uint64) (uint64, uint64) { return 1, 2 + i }, 1},
		"small ones are no burden": {func(uint64) []byte { return huge[:100] }, func(i uint64) (uint64, uint64) { return 1 + i%3, 4 + i }, messages},
	} {
		loads := map[uint64]int{}
		load := Load(func(n uint64) *wire.Frame {
			loads[n]++
			return &wire.Frame{N: n, Data: c.payload(n)}
		}).recent()
		for i := range uint64(messages) {
			request, response := c.ask(i)
			for _, n := range []uint64{request, response} {
				switch f := load(n); {
				case f == nil && len(c.payload(n)) < hugeFrame:
					t.Fatalf("%s: frame %d cannot be had", name, n)
				case f != nil && f.N != n:
					t.Fatalf("%s: frame %d in place of %d", name, f.N, n)
				}
			}
		}
		if loads[1] > c.most {
			t.Errorf("%s: the request was loaded %d times, at most %d", name, loads[1], c.most)
		}
	}
}
