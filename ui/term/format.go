package term

import (
	"time"

	"midwire/session/safe"
)

// Duration writes nanoseconds in at most six cells: 850µs 41ms 5.7s 3m04s 2h10m.
func Duration(ns int64) safe.Text {
	d := time.Duration(ns)
	switch {
	case d < 0:
		return "-" + Duration(-ns)
	case d < time.Millisecond:
		return safe.Int(d.Microseconds()) + "µs"
	case d < time.Second:
		return safe.Int(d.Milliseconds()) + "ms"
	case d < time.Minute:
		return safe.Float(d.Seconds(), 1) + "s"
	case d < time.Hour:
		return safe.Int(int(d.Minutes())) + "m" + twoDigits(int(d.Seconds())%60) + "s"
	}
	return safe.Int(int(d.Hours())) + "h" + twoDigits(int(d.Minutes())%60) + "m"
}

// Seconds writes a point in time as seconds with three decimals.
func Seconds(ns int64) safe.Text { return safe.Float(float64(ns)/1e9, 3) }

func twoDigits(n int) safe.Text {
	if n < 10 {
		return "0" + safe.Int(n)
	}
	return safe.Int(n)
}

// Size writes a number of bytes in at most five cells: 311 1.2k 84k 3.0M.
func Size(n int64) safe.Text {
	if n < 1000 {
		return safe.Int(n)
	}
	f := float64(n)
	for _, unit := range []safe.Text{"k", "M", "G", "T"} {
		if f /= 1024; f < 9.95 {
			return safe.Float(f, 1) + unit
		}
		if f < 999.5 {
			return safe.Float(f, 0) + unit
		}
	}
	return "much"
}

// Bytes is Size with its unit: 1 byte, 311 bytes, 1.2kB.
func Bytes[N ~int | ~int64](n N) safe.Text {
	if n < 1000 {
		return Count(int(n), "byte")
	}
	return Size(int64(n)) + "B"
}

// Count writes a number and a noun that takes an s.
func Count(n int, noun safe.Text) safe.Text {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}

// Number groups digits by thousands: 12 345.
func Number(n int) safe.Text {
	s := safe.Int(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
