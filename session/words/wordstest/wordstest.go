// Package wordstest has the texts that code which was written with ASCII in mind
// gets wrong. Tests and fuzz targets of what reads text from the wire take
// theirs from here, so that one more alphabet reaches all of them.
package wordstest

import (
	"encoding/json"
	"strings"
)

// alphabets are letters of one trouble each.
var alphabets = [...]string{
	"İIıi",                        // Turkish: of other lengths in lower case
	"ẞßSS",                        // German: likewise
	"ȺⱥȾⱦ",                        // longer in lower case
	"ſs\u212ak\u2126ω\u212bå",     // letters of ASCII and Greek in disguise
	"ΣσςΌ\u0345ΰ",                 // Greek: two small letters for one capital
	"ǅǄǆ",                         // a title case of its own
	"e\u0301A\u030a\u0327",        // combining marks
	"\u0301\u0301\u0301",          // and some with nothing to combine with
	"שָׁלוֹם مرحبا",               // right to left
	"a\u202eb\u2066c\u2069\u200f", // bidirectional controls
	"界世识别子デスク한글",                  // wide
	"\u200b\u2060\ufeff\u00ad",    // no width
	"a\u2028b\u2029c\u0085d",      // ends of lines that are none
	"\x00\x01\x1b[31m\x7f\u009b",  // controls
	"\xff\xc3(\xa0\xe7\x95",       // no UTF-8
	"\xed\xa0\x80\xf4\x90\x80",    // surrogates and more than there is
	"👩‍👩‍👧‍👦🏳️‍🌈🇩🇪👍🏽", // emoji of several characters
	"𝔄𐐀𐐨\U0010ffff",   // four bytes, with a lower case too
	"ﬁǰŉΐ",            // of several letters in upper case
}

// Texts are the texts of all alphabets: each alone, many times over as in a
// page of that language, around words that are looked for, and cut where a
// character is not over.
func Texts() []string {
	all := []string{strings.Join(alphabets[:], " ")}
	for _, a := range alphabets {
		all = append(all, a, strings.Repeat(a, 40), a+" Error: the Client "+a+" not found "+a, a[:len(a)-1], a+"ID")
	}
	return all
}

// Valid are those of Texts that are UTF-8.
func Valid() []string {
	var all []string
	for _, s := range Texts() {
		all = append(all, strings.ToValidUTF8(s, ""))
	}
	return all
}

// JSON are string literals of JSON: those of Texts as they stand where JSON
// allows it, in escapes, and with surrogates that have no other half.
func JSON() []string {
	all := []string{`"\ud800"`, `"\udc00\ud800"`, `"a\ud83dİ"`, `"\ud83d\u0130\udc69"`, `"\u0130\u1E9E\u023a\u212a"`, `"\u0000"`}
	for _, s := range Texts() {
		quoted, err := json.Marshal(s)
		if err != nil { // a string has a JSON text
			panic(err)
		}
		raw := strings.Map(func(r rune) rune {
			if r < ' ' || r == '"' || r == '\\' {
				return -1
			}
			return r
		}, s)
		all = append(all, string(quoted), `"`+raw+`"`)
	}
	return all
}

// Mutate puts s into a text: at its begin, its end and between its words, n
// choosing. The words stay whole.
func Mutate(text, s string, n int) string {
	switch n % 4 {
	case 0:
		return s + " " + text
	case 1:
		return text + " " + s
	case 2:
		return strings.ReplaceAll(text, " ", " "+s+" ")
	}
	return s
}
