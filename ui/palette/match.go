package palette

import (
	"slices"
	"strings"
	"unicode"

	"midwire/session/safe"
	"midwire/session/words"
)

// Recent are the ids and titles of what was chosen before, the last first.
type Recent []string

const maxRecent = 64

// Use puts something first.
func (r *Recent) Use(o *Offer) {
	name := o.name()
	rest := slices.DeleteFunc(slices.Clone(*r), func(s string) bool { return s == name })
	*r = slices.Insert(rest[:min(len(rest), maxRecent)], 0, name)
}

// at is how long ago something was chosen: 0 for the last, the more the longer.
func (r *Recent) at(o *Offer) int {
	if i := slices.Index(*r, o.name()); i >= 0 {
		return i
	}
	return maxRecent + 1
}

// name is what tells an offer from others the next time.
func (c *Offer) name() string {
	if c.ID != "" {
		return c.ID
	}
	return string(c.Title)
}

// How well a word fits, the best first.
const (
	wholeTitle = iota // it is a word of the title
	wholeWord         // or one of the other words
	inTitle           // it begins a word of the title
	inWords
	inArea
	noFit
)

// fit says how well what was written fits an offer: the sum over its words, of
// which each must begin a word of it, in any order. ok is false when one does
// not.
func (c *Offer) fit(words []string) (n int, ok bool) {
	for _, w := range words {
		best := min(fitIn(c.Title, w, wholeTitle, inTitle), fitIn(c.Words, w, wholeWord, inWords),
			fitIn(c.Area().Name(), w, inArea, inArea))
		if best == noFit {
			return 0, false
		}
		n += best
	}
	return n, true
}

func fitIn(text safe.Text, word string, whole, begun int) int {
	best := noFit
	for _, w := range wordsOf(string(text)) {
		switch {
		case w == word:
			return whole
		case strings.HasPrefix(w, word):
			best = begun
		}
	}
	return best
}

// wordsOf are the words of a text in lower case. One with signs in it, like
// search_notes or mcp-session-id, is a word, and so are its parts.
func wordsOf(text string) (out []string) {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsSeq(words.Fold(text)) {
		parts := strings.FieldsFunc(w, apart)
		if w = strings.TrimFunc(w, apart); len(parts) > 1 {
			out = append(out, w)
		}
		out = append(out, parts...)
	}
	return out
}

// best keeps what fits a text, in this order: how well it does, whether it can
// be done here, how recently it was chosen, and as they were.
func best(all []Offer, text string, recent *Recent) (out []Offer) {
	type hit struct {
		Offer
		fit, at int
	}
	words := strings.Fields(words.Fold(text))
	var hits []hit
	for i := range all {
		c := &all[i]
		n, ok := c.fit(words)
		key := text != "" && string(c.Keys) == text
		if !ok && !key {
			continue
		}
		if key {
			n = -1
		}
		if c.Rank == Elsewhere {
			n += 100
		}
		hits = append(hits, hit{*c, n, recent.at(c)})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.fit != b.fit {
			return a.fit - b.fit
		}
		return a.at - b.at
	})
	for i := range hits {
		out = append(out, hits[i].Offer)
	}
	return out
}
