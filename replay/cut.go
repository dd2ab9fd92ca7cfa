package replay

import (
	"strings"
	"unicode/utf8"

	"midwire/session/handle"
)

// cut remembers where in a text a token stood, by what was around it.
type cut struct {
	Before  string // what stands before it
	Ordinal int    // how often Before occurs earlier in the text
	After   string // the character that follows it, "" at the end
	Class   handle.Class
}

const cutContext = 24

// newCut describes a token of a text.
func newCut(text string, from int, token string, c handle.Class) cut {
	start := max(0, from-cutContext)
	// No character is cut in two; what is no UTF-8 stays.
	for end := start + utf8.UTFMax - 1; start > 0 && start < end && !utf8.RuneStart(text[start]); {
		start++
	}
	k := cut{Before: text[start:from], Class: c}
	if k.Before != "" {
		k.Ordinal = occurrences(text[:from-1], k.Before)
	}
	if rest := text[from+len(token):]; rest != "" {
		_, n := utf8.DecodeRuneInString(rest)
		k.After = rest[:n]
	}
	return k
}

// occurrences counts how often one text stands in another, also where two of
// them overlap.
func occurrences(text, s string) (n int) {
	for i := strings.Index(text, s); i >= 0; i = strings.Index(text, s) {
		text = text[i+1:]
		n++
	}
	return n
}

// take returns the token that stands in that place in another text, "" when
// there is none. When less of what stood before is the same, less must do.
func (k cut) take(text string) string {
	if k.Before == "" {
		return k.Class.Run(text, 0)
	}
	for before := k.Before; before != ""; before = shorten(before) {
		if before == k.Before && k.Ordinal > 0 {
			if v := k.nth(text, before, k.Ordinal, true); v != "" {
				return v
			}
		}
		if v := k.nth(text, before, 0, true); v != "" {
			return v
		}
	}
	return k.nth(text, k.Before, k.Ordinal, false)
}

// nth looks for the token behind the occurrence of that number; exact when what
// follows the token must be what followed it.
func (k cut) nth(text, before string, ordinal int, exact bool) string {
	for {
		i := strings.Index(text, before)
		if i < 0 {
			return ""
		}
		here, behind := text, i+len(before)
		text = text[i+1:]
		if ordinal > 0 {
			ordinal--
			continue
		}
		token := k.Class.Run(here, behind)
		rest := here[behind+len(token):]
		if token != "" && (!exact || strings.HasPrefix(rest, k.After) && (k.After != "" || rest == "")) {
			return token
		}
	}
}

// shorten drops the first word of a text.
func shorten(s string) string {
	i := 0
	for i < len(s) && handle.ClassWord.Has(s[i]) {
		i++
	}
	for i < len(s) && !handle.ClassWord.Has(s[i]) {
		i++
	}
	return s[i:]
}
