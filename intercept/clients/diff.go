package clients

import (
	"fmt"
	"strings"

	"midwire/session/words"
)

// mostCompared bounds the lines that are compared one by one, of one side times the other.
const mostCompared = 1 << 20

// lineDiff shows the lines that differ between two versions of a file, and no
// others: unchanged ones may hold secrets.
func lineDiff(a, b []string) (out []string) {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	a, b = a[start:endA], b[start:endB]
	tooLong := len(a)*len(b) > mostCompared
	var gone, came []bool
	if !tooLong {
		gone, came = words.Apart(a, b)
	}
	apart := true
	add := func(sign string, at int, line string) {
		if apart {
			out = append(out, fmt.Sprintf("@@ line %d @@", start+at+1))
		}
		apart = false
		out = append(out, sign+strings.TrimRight(line, "\r\n"))
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && (tooLong || gone[i]):
			add("- ", i, a[i])
			i++
		case j < len(b) && (tooLong || came[j]):
			add("+ ", i, b[j])
			j++
		default:
			i, j, apart = i+1, j+1, true
		}
	}
	return out
}
