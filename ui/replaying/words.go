package replaying

import (
	"strings"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/term"
)

// maxWords bounds what is compared word by word.
const maxWords = 200

// wordsOf cuts a line into words with the blanks behind them, and signs that stand
// alone.
func wordsOf(s string) (out []string) {
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
// in which they stand. Of long lines it says that of none.
func changedWords(was, now []string) (inWas, inNow []bool) {
	if len(was) > maxWords || len(now) > maxWords {
		return make([]bool, len(was)), make([]bool, len(now))
	}
	return words.Apart(was, now)
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
