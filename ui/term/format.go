package term

import (
	"fmt"
	"strconv"
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
		return safe.Text(strconv.FormatInt(d.Microseconds(), 10) + "µs")
	case d < time.Second:
		return safe.Text(strconv.FormatInt(d.Milliseconds(), 10) + "ms")
	case d < time.Minute:
		return safe.Text(strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s")
	case d < time.Hour:
		return safe.Text(fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60))
	}
	return safe.Text(fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60))
}

// Seconds writes a point in time as seconds with three decimals.
func Seconds(ns int64) safe.Text {
	return safe.Text(strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64))
}

// Size writes a number of bytes in at most five cells: 311 1.2k 84k 3.0M.
func Size(n int64) safe.Text {
	if n < 1000 {
		return safe.Text(strconv.FormatInt(n, 10))
	}
	f := float64(n)
	for _, unit := range "kMGT" {
		if f /= 1024; f < 9.95 {
			return safe.Text(strconv.FormatFloat(f, 'f', 1, 64) + string(unit))
		}
		if f < 999.5 {
			return safe.Text(strconv.FormatFloat(f, 'f', 0, 64) + string(unit))
		}
	}
	return "much"
}

// Count writes a number and a noun that takes an s.
func Count(n int, noun string) safe.Text {
	if n == 1 {
		return safe.Text("1 " + noun)
	}
	return Number(n) + safe.Text(" "+noun+"s")
}

// Number groups digits by thousands: 12 345.
func Number(n int) safe.Text {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return safe.Text(s)
}
