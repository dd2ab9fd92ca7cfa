package contrast

import (
	"math"
	"strconv"
	"time"
)

func (r *reader) number(k kind, name string, v float64) { r.numbers[fact{k, name, ""}] = v }

// counts are the numbers up to the call: how much, how long, how many at a time.
func (r *reader) counts() {
	calls := 0
	var previous, start int64 = -1, -1
	var pause, largest float64
	for _, i := range r.steps {
		step := &r.s.Steps[i]
		if previous >= 0 {
			pause = max(pause, float64(step.T-previous))
		} else {
			start = step.T
		}
		previous = step.T
	}
	open := 0
	for n, call := range r.calls {
		row := r.s.CallRow(call)
		if calls++; call != r.last {
			largest = max(largest, float64(row.RLen))
		}
		at := 1
		for _, other := range r.calls[max(0, n-64):n] { // more at a time is much anyway
			if o := r.s.CallRow(other); o.Response == 0 || o.Response > row.Request {
				at++
			}
		}
		open = max(open, at)
	}
	r.number(ofNumber, "requests before it", float64(calls-1))
	r.number(ofNumber, "requests in flight at a time", float64(open))
	r.number(ofNumber, "longest pause between messages (s)", pause/float64(time.Second))
	r.number(ofNumber, "largest response (bytes)", largest)
	if r.last >= 0 {
		row := r.s.CallRow(r.last)
		r.number(ofNumber, "length of the request (bytes)", float64(row.Len))
		r.number(ofNumber, "seconds after the beginning", float64(row.T-start)/float64(time.Second))
	}
}

// isOutlier reports whether a number is far from all of others, and in which words: less than a
// third of the least, or more than three times the most, and not by a little.
func isOutlier(v float64, others []float64) (good string, far bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, o := range others {
		least, most = min(least, o), max(most, o)
	}
	const factor, little = 3, 3
	switch {
	case len(others) == 0:
		return "", false
	case v > most*factor && v-most >= little:
		return "at most " + plainNumber(most), true
	case v*factor < least && least-v >= little:
		return "at least " + plainNumber(least), true
	}
	return "", false
}

func plainNumber(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
