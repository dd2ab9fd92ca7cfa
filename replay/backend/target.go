package backend

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"midwire/intercept"
	"midwire/replay"
	"midwire/session/record"
)

// maxTarget bounds the length of a recorded command line that is offered: it
// has to be read before it is run.
const maxTarget = 4000

// aim takes the target as the user wrote it, or that of a recording that was
// made here. What a stranger's recording names is not run, and not sent to.
func (j *job) aim(text, dir string) {
	h := j.script.Header
	if text == "" && j.own {
		text = RecordedTarget(&h)
	}
	if dir == "" && j.own {
		dir = RecordedDir(&h)
	}
	j.target = text
	switch {
	case text == "" && !j.own:
		j.stuck = "the recording was not made here, so what it says of its server is not used; t gives a target: a URL, or a command line"
		return
	case len(text) > maxTarget:
		j.target, j.stuck = "", fmt.Sprintf("the recorded command line is too long to be looked through, %d bytes; t gives a target", len(text))
		return
	case Masked(text):
		j.stuck = "the recording masks a part of the target; t gives it whole"
		return
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		u, err := intercept.ParseTarget(text)
		if err != nil {
			j.stuck = err.Error()
			return
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
	j.opt.Command, j.opt.Dir = words, dir
}

// RecordedTarget is what a recording says of its server: a command line, or the
// origin of a URL; "" for nothing. Who uses it sees to it that the recording was made here.
func RecordedTarget(h *record.Header) string {
	if h.Tap == "http" {
		return origin(h.Target)
	}
	return joinWords(h.Command)
}

// RecordedDir is where the recorded command ran, "" when that is not there:
// relative names in a command mean what they meant.
func RecordedDir(h *record.Header) string {
	if info, err := os.Stat(h.Cwd); h.Tap == "stdio" && err == nil && info.IsDir() {
		return h.Cwd
	}
	return ""
}

// Masked says whether a part of a recorded command line or URL is a mask.
func Masked(text string) bool {
	if replay.HasMask(text) {
		return true
	}
	for _, word := range [...]string{"redacted", "xxxxx"} {
		for from := 0; ; {
			i := strings.Index(text[from:], word)
			if i < 0 {
				break
			}
			i += from
			from = i + len(word)
			before, after := byte(' '), byte(' ')
			if i > 0 {
				before = text[i-1]
			}
			if from < len(text) {
				after = text[from]
			}
			user := after == '@' && (before == ':' || before == '/')
			value := strings.IndexByte(` ="'`, before) >= 0 && strings.IndexByte(` "'&#;`, after) >= 0
			if user || value && word == "redacted" {
				return true
			}
		}
	}
	return false
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
