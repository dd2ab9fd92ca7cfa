package replaying

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/term"
)

// maxWords bounds what is compared word by word.
const maxWords = 200

// words cuts a line into words with the blanks behind them, and signs that stand
// alone.
func words(s string) (out []string) {
	for s != "" {
		n := strings.IndexAny(s, ` ",:[]{}`)
		switch {
		case n < 0:
			n = len(s)
		case n == 0:
			n = 1
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// changedWords says which words of two lines the other one has not, in the order
// in which they stand: what is left of the longest row of words that both have.
func changedWords(was, now []string) (inWas, inNow []bool) {
	inWas, inNow = make([]bool, len(was)), make([]bool, len(now))
	if len(was) > maxWords || len(now) > maxWords {
		return inWas, inNow
	}
	long := make([][]int, len(was)+1) // of what begins at i and j
	for i := range long {
		long[i] = make([]int, len(now)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if long[i][j] = max(long[i+1][j], long[i][j+1]); was[i] == now[j] {
				long[i][j] = long[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(was) || j < len(now) {
		switch {
		case i < len(was) && j < len(now) && was[i] == now[j]:
			i, j = i+1, j+1
		case j == len(now) || i < len(was) && long[i+1][j] >= long[i][j+1]:
			inWas[i] = true
			i++
		default:
			inNow[j] = true
			j++
		}
	}
	return inWas, inNow
}

// putChanged writes one of two lines in the colours of JSON, with the words that the
// other one has not in the style of changed words.
func putChanged(p *document.Pen, line []string, changed []bool, st term.Style) {
	under, rest := p.L.Under, strings.Join(line, "")
	token, colour := 0, term.Plain // the bytes that are left of a token, and its colour
	for i, w := range line {
		if token <= 0 {
			token, colour = document.JSONToken(p.Th, rest)
		}
		token, rest = token-len(w), rest[len(w):]
		blank := strings.TrimSpace(w) == "" && (i == 0 || !changed[i-1] || i+1 == len(line) || !changed[i+1])
		if !changed[i] || blank {
			p.Marked(colour, safe.Marked(w))
			continue
		}
		p.L.Under = ""
		p.Marked(st+term.Bold, safe.Marked(w))
		p.L.Under = under
	}
}
