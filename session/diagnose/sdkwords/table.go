// Package sdkwords knows what SDKs, servers and gateways of MCP say when they refuse
// something: the same cause has other words in each of them. words.txt is the table;
// programs.txt is that of what programs say before they end.
//
// It knows no world outside: the table is part of the program, and is read when it is
// first asked for, once.
package sdkwords

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"midwire/session/words"
)

//go:embed words.txt
var wordTable string

//go:embed programs.txt
var programs string

// Phrase is an entry of the table: one text, as one SDK says it.
type Phrase struct {
	SDK, Version string
	Repository   string
	File         string // of the source
	Status, Code string // as the table has them: "-" for none or any
	Place        string // message, data, body, header or log
	Means        []Meaning
	Text         string // with … for any text within a line and * for one word
	General      bool   // of no SDK in particular

	whole bool       // it is all that is said
	parts []part     // of one that belongs to an SDK
	terms [][]string // of a general one: one of each must be there
}

// part is a literal piece of a phrase, in lower case, and what may stand before it.
type part struct {
	before rune // '…', '*' or 0
	text   string
}

// table is words.txt or programs.txt, and where in a text to look for what.
type table struct {
	phrases []*Phrase
	at      map[[keySize]byte][]start
	begins  [1 << 16]bool // by the first two bytes of a key
}

// start is a piece of text that a phrase begins with, or a general one needs.
type start struct {
	phrase int
	text   string
}

// keySize is how many bytes of a text lead to the phrases to compare.
const keySize = 4

var (
	loadWords    = sync.OnceValue(func() *table { return read(wordTable) })
	loadPrograms = sync.OnceValue(func() *table { return read(programs) })
)

func read(text string) *table {
	t := &table{at: map[[keySize]byte][]start{}}
	var of Phrase
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			f := strings.SplitN(strings.Trim(line, "[]"), " | ", 3)
			of = Phrase{SDK: f[0], Version: f[1], Repository: f[2], General: f[0] == "any"}
		case line[0] == '~':
			of.File = strings.TrimSpace(line[1:])
		default:
			t.add(of, line)
		}
	}
	return t
}

// add reads a line of the table.
func (t *table) add(p Phrase, line string) {
	var field string
	next := func() string {
		field, line, _ = strings.Cut(strings.TrimLeft(line, " "), " ")
		return field
	}
	p.Status, p.Code, p.Place = next(), next(), next()
	for name := range strings.SplitSeq(next(), ",") {
		p.Means = append(p.Means, named(name))
	}
	p.Text, p.whole = strings.CutPrefix(strings.TrimLeft(line, " "), "=")
	first := []string{}
	if text := words.Fold(p.Text); p.General {
		for term := range strings.SplitSeq(text, " + ") {
			p.terms = append(p.terms, strings.Split(term, " / "))
		}
		first = p.terms[0]
	} else {
		p.parts = split(text)
		first = append(first, p.parts[0].text)
	}
	t.phrases = append(t.phrases, &p)
	for _, s := range first {
		key := [keySize]byte([]byte(s))
		t.begins[two(s, 0)] = true
		t.at[key] = append(t.at[key], start{len(t.phrases) - 1, s})
	}
}

func two(s string, i int) uint16 { return uint16(s[i])<<8 | uint16(s[i+1]) }

// split cuts a phrase at … and *. What stands before the first piece may be anything.
func split(text string) []part {
	var parts []part
	before := rune(0)
	for text != "" {
		i := strings.IndexAny(text, "…*")
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			parts = append(parts, part{before, text[:i]})
		}
		for _, r := range text[i:] {
			before = r
			break
		}
		text = strings.TrimPrefix(text[i:], string(before))
	}
	parts[0].before = 0
	return parts
}

// named is the meaning of a name in the table.
func named(name string) Meaning {
	m := slices.IndexFunc(abouts(), func(a [3]string) bool { return a[0] == name })
	if m < 0 {
		panic("sdkwords: no meaning " + name)
	}
	return Meaning(m)
}

// Phrases is the whole table, in order: what SDKs, servers and gateways say, then what
// programs say.
func Phrases() []*Phrase { return slices.Concat(loadWords().phrases, loadPrograms().phrases) }
