package screen

import (
	"net/url"
	"os"
	"strings"

	"midwire/intercept"
)

// maskedWord stands for a credential in a recorded command line or URL.
const maskedWord = "redacted"

// aim takes the target as the user wrote it, or that of the recording.
func (j *job) aim(text string) {
	h := j.script.Header
	switch {
	case text == "" && h.Tap == "http":
		text = origin(h.Target)
	case text == "":
		text = joinWords(h.Command)
	}
	j.target = text
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		u, err := intercept.ParseTarget(text)
		if err != nil {
			j.stuck = err.Error()
			return
		}
		if _, set := u.User.Password(); set && strings.Contains(text, ":xxxxx@") {
			j.stuck = "the recording masks the password of the URL; t gives the target whole"
		}
		j.opt.URL = u
		return
	}
	words, ok := splitWords(text)
	switch {
	case !ok:
		j.stuck = "a quote of the command line is not closed; t changes the target"
	case len(words) == 0:
		j.stuck = "the recording does not say what its server was; t gives a target: a URL, or a command line"
	}
	for _, w := range words {
		if w == maskedWord || strings.HasSuffix(w, "="+maskedWord) || strings.HasSuffix(w, ": "+maskedWord) {
			j.stuck = "the recording masks a part of the command line; t gives the target whole"
		}
	}
	j.opt.Command = words
	if info, err := os.Stat(h.Cwd); h.Tap == "stdio" && err == nil && info.IsDir() {
		j.opt.Dir = h.Cwd // relative names in the command mean what they meant
	}
}

// origin is a URL without its path: then the recorded paths are kept, of which
// there may be several.
func origin(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String()
}

// splitWords splits a command line as a shell does, with quotes and nothing
// else that a shell knows. It is false when a quote is not closed.
func splitWords(text string) (words []string, ok bool) {
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

// joinWords writes words so that splitWords reads them.
func joinWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\n'\""):
			out[i] = w
		case !strings.Contains(w, "'"):
			out[i] = "'" + w + "'"
		default:
			out[i] = `'` + strings.ReplaceAll(w, `'`, `'"'"'`) + `'`
		}
	}
	return strings.Join(out, " ")
}
