package safe

import (
	"strconv"
	"strings"
	"time"
)

// Int writes a whole number in decimal.
func Int[N ~int | ~int32 | ~int64 | ~uint16 | ~uint32 | ~uint64](n N) Text {
	if n < 0 {
		return Text(strconv.FormatInt(int64(n), 10))
	}
	return Text(strconv.FormatUint(uint64(n), 10))
}

// Float writes a number with so many decimals.
func Float(f float64, decimals int) Text { return Text(strconv.FormatFloat(f, 'f', decimals, 64)) }

// Time writes a time as a layout of package time says.
func Time(t time.Time, layout Text) Text { return Line(t.Format(string(layout))) }

// Repeat writes a text n times, not at all when n is negative.
func Repeat(t Text, n int) Text { return Text(strings.Repeat(string(t), max(0, n))) }

// Unmarked is a piece of what Marked returned, without the marks.
func Unmarked(s string) Text {
	return Text(Whole(strings.Map(func(r rune) rune {
		if r == MarkOn || r == MarkOff {
			return -1
		}
		return r
	}, s)))
}
