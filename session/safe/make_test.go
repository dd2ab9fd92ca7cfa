package safe

import (
	"math"
	"testing"
	"time"
)

func TestConstructors(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 5, 0, 0, time.FixedZone("\x1b[31m", 3600))
	for _, c := range []struct{ got, want Text }{
		{Int(-12), "-12"},
		{Int(uint64(math.MaxUint64)), "18446744073709551615"},
		{Float(1.25, 1), "1.2"},
		{Time(at, "15:04 MST"), "09:05 ␛[31m"},
		{Repeat("ab", 2), "abab"},
		{Repeat("ab", -1), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
