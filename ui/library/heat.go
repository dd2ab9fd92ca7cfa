package library

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/term"
)

// Widths are how many cells the longest texts of the rows take, within bounds:
// columns made for them do not move while somebody scrolls.
type Widths struct{ Tool, Arguments int }

// The most that a column of the list is made for.
const (
	maxTool      = 32
	maxArguments = 60
)

func (w *Widths) measure(row *session.Row, method, name, more string) {
	if name == "" || row.Kind != session.RowCall || strings.Contains(name, "://") {
		name = method
	}
	w.Tool = max(w.Tool, min(cells(name), maxTool))
	w.Arguments = max(w.Arguments, min(cells(more), maxArguments))
}

// cells is how wide a text from the wire is on the screen.
func cells(s string) int {
	if utf8.RuneCountInString(s) == len(s) { // ASCII, as most is
		return len(s)
	}
	return term.Width(safe.Line(s))
}

// heat counts the latencies of each session in classes, so that what is slow for
// a session is known at any time without looking at its rows again.
type heat []*latencies

// latencies counts in classes, four to a power of two.
type latencies struct {
	n     uint32
	class [4 * 48]uint32
	slow  int64 // the 95th percentile, rounded up, when there were at of them
	at    uint32
}

// add counts one latency; what belongs to no session is not counted.
func (h *heat) add(session int, took int64) {
	if session < 0 {
		return
	}
	for len(*h) <= session {
		*h = append(*h, nil)
	}
	l := (*h)[session]
	if l == nil {
		l = &latencies{}
		(*h)[session] = l
	}
	l.n++
	l.class[classOf(took)]++
}

func classOf(took int64) int {
	took = max(took, 4)
	b := bits.Len64(uint64(took)) - 3 // bits below the two after the first
	return min(4*b+int(took>>b)&3, 4*48-1)
}

// Slow is the latency that 95 of 100 calls of a session do not exceed, a little
// rounded up; 0 while none has been answered.
func (r *Recording) Slow(session int) int64 {
	if session < 0 || session >= len(r.heat) || r.heat[session] == nil {
		return 0
	}
	l := r.heat[session]
	if l.at == l.n {
		return l.slow
	}
	left := l.n - l.n*95/100
	for i := len(l.class) - 1; i >= 0; i-- {
		if left <= l.class[i] {
			l.slow = int64(4+i%4+1)<<(i/4) - 1
			break
		}
		left -= l.class[i]
	}
	l.at = l.n
	return l.slow
}
