// Package rules is the catalogue of what midwire can find: one file for each
// rule. The wording of a rule is what a user reads; keep it plain.
package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

// All returns every rule, by id.
func All() []*diagnose.Rule {
	var all []*diagnose.Rule
	for _, list := range [][]*diagnose.Rule{causes, messages, transports, modern, content} {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b *diagnose.Rule) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// former are ids that rules had before. They go on working wherever people write
// an id.
var former = map[string]string{
	"answer-not-jsonrpc":     "response-not-jsonrpc",
	"answer-on-wrong-stream": "response-on-wrong-stream",
	"answer-refused":         "response-refused",
	"answer-without-id":      "response-without-id",
	"cors-answer-hidden":     "cors-response-hidden",
	"foreign-revision":       "foreign-version",
	"html-answer":            "html-response",
	"notification-answered":  "notification-response",
	"stream-after-answer":    "stream-after-response",
	"unknown-revision":       "unknown-version",
}

// Current returns the id that a rule has now, and id itself when it is no former
// one.
func Current(id string) string { return cmp.Or(former[id], id) }

// Find returns the rule of that id, or of what is a former id of it; nil when there
// is none.
func Find(id string) *diagnose.Rule {
	id = Current(id)
	for _, r := range All() {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Nearest returns the ids that a mistyped one may have meant.
func Nearest(id string) []string {
	var near []string
	for _, r := range All() {
		if strings.Contains(r.ID, id) || strings.Contains(strings.ToLower(r.Title), strings.ToLower(id)) {
			near = append(near, r.ID)
		}
	}
	return near
}

// quote shows a text from the wire within a sentence.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return "“" + strings.TrimSpace(s) + "”"
}

// quoteJSON quotes a value: a string without the quotes that it has in JSON.
func quoteJSON(raw []byte) string {
	if s := text(raw); s != "" {
		return quote(s)
	}
	return quote(string(raw))
}

// frame shows the number of a frame within a sentence.
func frame(n uint64) string { return "#" + strconv.FormatUint(n, 10) }

// text is a JSON string decoded.
func text(raw []byte) string { return wire.Text(raw) }
