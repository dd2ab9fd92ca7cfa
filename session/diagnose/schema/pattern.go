package schema

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// pattern is a regular expression. A nil one is one that is not understood.
type pattern struct {
	re     *regexp.Regexp
	weight int // about the number of its states
}

const (
	maxPattern  = 5_000   // weight of a pattern
	maxPatterns = 200_000 // weight of all patterns of a schema
)

// pattern reads a regular expression. One in the dialect of JavaScript that Go
// does not know is not wrong; it cannot be decided here. Neither can one that
// would take long.
func (c *compiler) pattern(key string, v any) *pattern {
	text, ok := v.(string)
	if !ok {
		c.wrong(key, "is "+aKind(v)+", and must be a string")
		return nil
	}
	if len(text) > maxPattern {
		c.n.odd = true
		return nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		c.n.odd = true
		return nil
	}
	p := &pattern{weight: weight(tree)}
	if c.s.patterns += p.weight; p.weight > maxPattern || c.s.patterns > maxPatterns {
		c.n.odd = true
		return nil
	}
	if p.re, err = regexp.Compile(text); err != nil {
		c.n.odd = true
		return nil
	}
	return p
}

// weight is about how many states an expression has once its repetitions are
// written out.
func weight(re *syntax.Regexp) int {
	sum := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		sum = min(sum+weight(sub), 1<<20)
	}
	if re.Op == syntax.OpRepeat {
		return min(sum*max(re.Min, re.Max, 1), 1<<20)
	}
	return sum
}

// match says whether a text matches, counting its steps. Beyond ASCII the
// dialects differ in what is a blank, a word, or one character.
func (r *run) match(p *pattern, text string) verdict {
	if p == nil {
		return unsure
	}
	if r.steps += len(text) * p.weight / 100; r.steps > maxSteps {
		return unsure
	}
	if p.re.MatchString(text) {
		return good
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return unsure
		}
	}
	return bad
}
