package replay

import "strings"

// JoinWords writes the words of a command in a line, as sh and SplitWords read it.
func JoinWords(words []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.Trim(w, plain) != "" {
			out[i] = `'` + strings.ReplaceAll(w, `'`, `'"'"'`) + `'`
		}
	}
	return strings.Join(out, " ")
}

// SplitWords splits a command line as a shell does, with quotes and nothing
// else that a shell knows. It is false when a quote is not closed.
func SplitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			begun, quote = true, c
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}
