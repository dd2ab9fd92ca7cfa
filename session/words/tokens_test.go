package words_test

import (
	"testing"

	"midwire/session/words"
	"midwire/session/words/wordstest"
)

// TestTokens compares with what o200k_base counts.
func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"":                                   0,
		"Buys a product after confirmation.": 7,
		`{"name":"echo","description":"Echoes back the input string","inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"Message to echo"}},"required":["message"]}}`: 41,
		"検索ツールは製品の一覧を返します。": 11,
		"1234567": 3,
	} {
		got := words.Tokens([]byte(text))
		if diff := got - want; diff*diff > 2+want*want/50 {
			t.Errorf("%q: %d tokens, want about %d", text, got, want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if n := words.Tokens(text); n < 0 || n > len(text)+1 {
			t.Errorf("%d tokens of %d bytes", n, len(text))
		}
	})
}
