package rules

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var textGarbled = &diagnose.Rule{
	ID: "text-garbled", On: diagnose.Results, Methods: []string{mcp.ToolsCall, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || !beyondASCII(c.Call.Args) {
			return
		}
		sent, got := foreign(c.Call.Args), ""
		if len(sent) == 0 {
			return
		}
		wire.Items(c.Result("content"), func(_ int, item []byte) bool {
			got += wire.Text(wire.Get(item, "text")) + "\n"
			return len(got) < maxGarbled
		})
		for _, word := range sent {
			for _, way := range [...]func(string) string{asCP1252, asLatin1, asQuestions} {
				wrong := way(word)
				ofSent := func(other string) bool { return strings.Contains(other, wrong) }
				if wrong == "" || strings.Contains(got, word) || !strings.Contains(got, wrong) ||
					slices.ContainsFunc(sent, ofSent) {
					continue
				}
				c.Say("", c.Client()+" sent "+quote(word)+" to "+about(c.Call)+", and the result has "+quote(wrong)+" in its place ("+frame(c.N)+"). The message was UTF-8; the server read or wrote it in another encoding.",
					c.N, c.Call.N)
				return
			}
		}
	},
}

const (
	maxGarbled = 64 << 10
	maxForeign = 32 // words
)

// beyondASCII says whether JSON holds characters outside ASCII, written out or escaped.
func beyondASCII(raw []byte) bool {
	for _, b := range raw[:min(len(raw), maxGarbled)] {
		if b >= utf8.RuneSelf {
			return true
		}
	}
	return bytes.Contains(raw[:min(len(raw), maxGarbled)], []byte(`\u`))
}

// foreign are words with characters outside ASCII in the strings of a JSON object, with
// the letters around them.
func foreign(raw []byte) (words []string) {
	wire.Each(raw, func(_, value []byte) bool {
		if len(value) == 0 || value[0] != '"' || len(value) > maxGarbled {
			return true
		}
		for word := range strings.FieldsSeq(text(value)) {
			short := len(words) < maxForeign && len(word) <= 64 && utf8.ValidString(word)
			if short && strings.ContainsFunc(word, func(r rune) bool { return r >= 0xA0 }) {
				words = append(words, word)
			}
		}
		return len(words) < maxForeign
	})
	return words
}

// cp1252 are the characters of the bytes 0x80 to 0x9F, 0 for those that have none.
var cp1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}

// asCP1252 is a text as one sees it who reads its UTF-8 in the code page of Windows; "" where
// that has no character.
func asCP1252(s string) string {
	var b strings.Builder
	for i := range len(s) {
		r := rune(s[i])
		if r >= 0x80 && r < 0xA0 {
			r = cp1252[r-0x80]
		}
		if r == 0 {
			return ""
		}
		b.WriteRune(r)
	}
	return b.String()
}

// asLatin1 is the same in ISO 8859-1, which has a character for each byte.
func asLatin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// asQuestions is a text with question marks for what has no place in an encoding; "" for
// a text of nothing else.
func asQuestions(s string) string {
	wrong := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, s)
	if strings.Trim(wrong, "?.,!") == "" || strings.Count(wrong, "?") < 1 || len(wrong) < 4 {
		return ""
	}
	return wrong
}
