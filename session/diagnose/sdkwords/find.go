package sdkwords

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// AnyCode stands for a code that is not known.
const AnyCode = math.MinInt64

// most is how much of a text is looked at, longest the most that … stands for, with what
// follows.
const (
	most    = 4096
	longest = 512
)

// Found is what a text says.
type Found struct {
	Phrases []*Phrase // those that it holds, in the order of the table
	set     [2]uint64 // of meanings
}

// Find looks for what is known in what was said: the message of an error and its data,
// or a body. The code is that of JSON-RPC, 0 for none. The words of no SDK in particular
// count only where those of none are found. It takes one pass over the texts.
func Find(code int64, said ...string) Found { return loadWords().find(code, said) }

// Program looks for what programs say on standard error, and as results of tools.
func Program(said ...string) Found { return loadPrograms().find(AnyCode, said) }

func (t *table) find(code int64, said []string) Found {
	var own, general []int
	for _, text := range said {
		tried := make([]bool, len(t.phrases)) // of the general ones: they are looked for in the whole text
		text = words.Fold(strings.TrimSpace(text[:min(len(text), most)]))
		for i := 0; i+keySize <= len(text); i++ {
			if !t.begins[two(text, i)] {
				continue
			}
			for _, s := range t.at[[keySize]byte([]byte(text[i:i+keySize]))] {
				p := t.phrases[s.phrase]
				switch {
				case tried[s.phrase] || !strings.HasPrefix(text[i:], s.text):
				case !p.General:
					if p.is(text, i, code) {
						tried[s.phrase] = true
						own = append(own, s.phrase)
					}
				default:
					tried[s.phrase] = true
					if p.has(text) {
						general = append(general, s.phrase)
					}
				}
			}
		}
	}
	if len(own) == 0 {
		own = general
	}
	slices.Sort(own)
	own = slices.Compact(own)
	var f Found
	for _, i := range own {
		f.Phrases = append(f.Phrases, t.phrases[i])
		for _, m := range t.phrases[i].Means {
			f.set[m/64] |= 1 << (m % 64)
		}
	}
	return f
}

// Platform is the first meaning that is of what a server runs on or behind, as it is said
// with this HTTP status.
func (f Found) Platform(status int) (Meaning, bool) {
	for _, p := range f.Phrases {
		if m := p.Means[0]; m >= ClientBanned && m <= PlainHTTP && agrees(p.Status, int64(status)) {
			return m, true
		}
	}
	return 0, false
}

// has says whether a text has one of each of the terms of a general phrase.
func (p *Phrase) has(text string) bool {
	return !slices.ContainsFunc(p.terms, func(any []string) bool {
		return !slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
	})
}

// is says whether a text that has the first piece of the phrase at a place has all of
// it there.
func (p *Phrase) is(text string, at int, code int64) bool {
	end := at + len(p.parts[0].text)
	for _, piece := range p.parts[1:] {
		i := strings.Index(text[end:min(len(text), end+longest)], piece.text)
		gap := "\n"
		if piece.before == '*' {
			gap = " \n"
		}
		if i < 0 || strings.ContainsAny(text[end:end+i], gap) {
			return false
		}
		end += i + len(piece.text)
	}
	if !p.whole {
		return true
	}
	return at == 0 && end == len(text) && (code == AnyCode || agrees(p.Code, code))
}

// agrees says whether a number is the one of the table.
func agrees(is string, number int64) bool { return is == "-" || is == strconv.FormatInt(number, 10) }

// Own says whether the words are those of an SDK, not of none in particular.
func (f Found) Own() bool { return len(f.Phrases) > 0 && !f.Phrases[0].General }

// Means says whether a text says one of these.
func (f Found) Means(one ...Meaning) bool {
	return slices.ContainsFunc(one, func(m Meaning) bool { return f.set[m/64]&(1<<(m%64)) != 0 })
}

// Meanings are those that a text says, in order.
func (f Found) Meanings() []Meaning {
	return slices.DeleteFunc(Meanings(), func(m Meaning) bool { return !f.Means(m) })
}

// SDKs names those that say it in these words, with this HTTP status and code, by
// JSON-RPC or not: none when it is not known.
func (f Found) SDKs(status int, code int64, rpc bool) []string {
	var names []string
	for _, p := range f.Phrases {
		inRPC := p.Place == "message" || p.Place == "data"
		if p.General || p.Place == "log" || inRPC != rpc || !agrees(p.Code, code) ||
			status != 0 && !agrees(p.Status, int64(status)) || slices.Contains(names, p.SDK) {
			continue
		}
		names = append(names, p.SDK)
	}
	return names
}
