package gate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session/filter"
	"midwire/session/jsonpath"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// line reads a line word by word. After the first error all that it reads is nothing.
type line struct {
	text    string
	at      int
	last    int // where the last word began
	err     *filter.Error
	masks   []mask
	secrets []string
}

// mask is what is shown instead of a part of the line that has credentials.
type mask struct {
	from, to int
	shown    string
}

func (l *line) fail(why string) {
	if l.err == nil {
		l.err = &filter.Error{At: l.last, From: l.last, To: max(l.at, l.last), Text: why, More: l.last >= len(l.text)}
	}
	l.at = len(l.text)
}

func (l *line) skip() {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t') {
		l.at++
	}
}

// peek is the next word, which stays.
func (l *line) peek() string {
	l.skip()
	if end := strings.IndexAny(l.text[l.at:], " \t"); end >= 0 {
		return l.text[l.at : l.at+end]
	}
	return l.text[l.at:]
}

func (l *line) next() string {
	w := l.peek()
	l.last = l.at
	l.at += len(w)
	return w
}

func (l *line) rest() string {
	l.skip()
	l.last, l.at = l.at, len(l.text)
	return strings.TrimSpace(l.text[l.last:])
}

// takes takes the next word if it is this one.
func (l *line) takes(w string) bool {
	if l.peek() != w {
		return false
	}
	l.next()
	return true
}

// quoted reads a text in quotes with the escapes of Go and JSON, or what is left
// without quotes.
func (l *line) quoted() string {
	l.skip()
	if l.at >= len(l.text) || l.text[l.at] != '"' {
		text := l.rest()
		l.hide(text, masked(text))
		return text
	}
	l.last = l.at
	q, err := strconv.QuotedPrefix(l.text[l.at:])
	if err != nil {
		l.fail("the quote is not closed")
		return ""
	}
	l.at += len(q)
	text, err := strconv.Unquote(q)
	if err != nil {
		l.fail("not a text in quotes")
	}
	if shown := masked(text); shown != text {
		l.hide(text, shown)
		l.masks[len(l.masks)-1].shown = strconv.Quote(shown)
	}
	return text
}

// number reads a number if one is next.
func (l *line) number(otherwise, low, high int) int {
	w := l.peek()
	if digits := strings.TrimPrefix(w, "-"); digits == "" || digits[0] < '0' || digits[0] > '9' || low >= 0 && w != digits {
		return otherwise
	}
	l.next()
	n, err := strconv.Atoi(w)
	if err != nil || n < low || n > high {
		l.fail("the number must be from " + strconv.Itoa(low) + " to " + strconv.Itoa(high))
	}
	return n
}

// must reads a number that has to be there.
func (l *line) must(why string, low, high int) int {
	n := l.number(math.MinInt, low, high)
	if n == math.MinInt {
		l.next()
		l.fail(why)
	}
	return n
}

func (l *line) duration() time.Duration {
	d, err := time.ParseDuration(l.next())
	switch {
	case err != nil:
		l.fail("a time must follow, like 500ms or 3s")
	case d <= 0 || d > maxDelay:
		l.fail("a time is more than 0 and at most " + maxDelay.String())
	}
	return d
}

// json reads a value; member is its name, if it has one, which reports whether it is a secret.
func (l *line) json(member string) []byte {
	value := []byte(l.rest())
	if !wire.Valid(value) {
		l.fail("JSON must follow")
		return nil
	}
	shown := masked(string(value))
	if member != "" {
		around := slices.Concat([]byte("{"), quoted(member), []byte(":"), value, []byte("}"))
		shown = cmp.Or(string(wire.Get([]byte(masked(string(around))), member)), shown)
	}
	if text, err := strconv.Unquote(string(value)); err == nil && shown != string(value) {
		l.secrets = append(l.secrets, text)
	}
	l.hide(string(value), shown)
	return value
}

func (l *line) path() jsonpath.Path {
	path, err := jsonpath.Parse(l.next())
	pattern := func(s jsonpath.Seg) bool { return s.Kind != jsonpath.Member && s.Kind != jsonpath.Element }
	switch {
	case err != nil || len(path) == 0:
		l.fail("a place must follow, like params.arguments.path")
	case slices.ContainsFunc(path, pattern):
		l.fail("one place must follow and not a pattern")
	}
	return path
}

// field reads a header field that ends there.
func (l *line) field(end int) Field {
	l.skip()
	l.last, l.at = l.at, max(l.at, end)
	name, value, ok := strings.Cut(l.text[l.last:l.at], ":")
	value = strings.TrimSpace(value)
	if name = strings.TrimSpace(name); !ok || !goodName(name) || strings.ContainsAny(value, "\r\n\x00") {
		l.fail("a header field must follow, like Retry-After: 2")
		return Field{}
	}
	l.hide(name+": "+value, masked(name+": "+value))
	return Field{name, value}
}

// fields reads what follows a status: Retry-After: 2 & body "text".
func (l *line) fields(a *Action) {
	for l.peek() != "" {
		if l.takes("body") {
			a.Text = l.quoted()
		} else {
			end := strings.Index(l.text[l.at:], " & ")
			if end < 0 {
				end = len(l.text) - l.at
			}
			a.Fields = append(a.Fields, l.field(l.at+end))
		}
		if l.peek() != "" && !l.takes("&") {
			l.next()
			l.fail("& must stand between fields and body")
		}
	}
}

// cut reads after 2 events reset.
func (l *line) cut(a *Action) {
	a.Cut.events = -1
	if l.takes("after") {
		a.Cut.events = l.must("how many events? Like cut after 2 events", 0, math.MaxInt32)
		if word := l.next(); word != "events" && word != "event" {
			l.fail("events must follow")
		}
	}
	if how := slices.Index([]string{"clean", "reset"}, l.peek()); how >= 0 {
		l.next()
		a.Cut.how = How(how)
	}
}

// goodName reports whether a text can be the name of a field (RFC 9110 5.6.2).
func goodName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"(),/:;<=>?@[\\]{}", c) >= 0 {
			return false
		}
	}
	return name != ""
}

// hide notes that a text, which was read last, is shown with masks, and what they hide:
// of a credential with a scheme also what is behind it.
func (l *line) hide(text, shown string) {
	if text == shown {
		return
	}
	l.masks = append(l.masks, mask{l.last, l.at, shown})
	parts := strings.Split(shown, "redacted")
	text, _ = strings.CutPrefix(text, parts[0])
	for _, part := range parts[1:] {
		end := len(text)
		if part != "" {
			end = strings.Index(text, part)
		}
		if end < 0 {
			return // not reported
		}
		l.secrets = append(l.secrets, text[:end])
		if scheme, code, ok := strings.Cut(text[:end], " "); ok && scheme != "" && !strings.Contains(code, " ") {
			l.secrets = append(l.secrets, code)
		}
		text = text[end+len(part):]
	}
}

// shown is the line from there on, without credentials.
func (l *line) shown(from int) string {
	var b strings.Builder
	for _, m := range l.masks {
		if m.from < from {
			continue
		}
		b.WriteString(l.text[from:m.from] + m.shown)
		from = m.to
	}
	return strings.TrimSpace(b.String() + l.text[from:])
}

func masked(text string) string { return redact.Args([]string{"", text})[1] }
