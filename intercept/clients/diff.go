package clients

import (
	"bytes"
	"fmt"
)

// lineDiff shows the lines that differ between two versions of a file, and no
// others: unchanged ones may hold secrets.
func lineDiff(a, b [][]byte) (out []string) {
	start := 0
	for start < min(len(a), len(b)) && bytes.Equal(a[start], b[start]) {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && bytes.Equal(a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	line, apart := start+1, true
	for _, step := range steps(a[start:endA], b[start:endB]) {
		if step.sign == same {
			line, apart = line+1, true
			continue
		}
		if apart {
			out = append(out, fmt.Sprintf("@@ line %d @@", line))
		}
		if apart = false; step.sign == gone {
			line++
		}
		out = append(out, step.sign+string(bytes.TrimRight(step.line, "\r\n")))
	}
	return out
}

const same, gone, came = "  ", "- ", "+ "

type step struct {
	sign string
	line []byte
}

// steps turns a into b: by the longest common sequence, for what is short.
func steps(a, b [][]byte) (out []step) {
	if len(a)*len(b) > 1<<20 {
		for _, l := range a {
			out = append(out, step{gone, l})
		}
		for _, l := range b {
			out = append(out, step{came, l})
		}
		return out
	}
	common := make([][]int, len(a)+1) // of what is left from i and j on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if bytes.Equal(a[i], b[j]) {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && bytes.Equal(a[i], b[j]):
			out, i, j = append(out, step{same, a[i]}), i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			out, i = append(out, step{gone, a[i]}), i+1
		default:
			out, j = append(out, step{came, b[j]}), j+1
		}
	}
	return out
}
