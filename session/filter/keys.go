package filter

import "strings"

// Type is the type of a key's values.
type Type uint8

// The types of value.
const (
	Text    Type = iota // text, or with ~ a regular expression
	Choice              // one of Words
	Latency             // a duration with a unit
	Size                // bytes, with k or m
	Status              // an HTTP status, the last digits of which may be x
	Integer             // a number
	Message             // the number of a frame
	Moment              // seconds since the beginning, a time of the day, or a frame
	Program             // jq
	Past                // today, yesterday, a day like 2026-11-21, or how long ago
)

// Key is a filter key: the part before the operator.
type Key struct {
	Name  string
	Type  Type
	Help  string   // a few words
	Words []string // of a Choice
	Also  []string // further words that are understood and not offered
}

var verdicts = []string{"error", "pending", "ok", "warn", "cancelled", "lost", "modern", "commented"}

var kinds = []string{"call", "notification", "response", "noise", "stderr", "http", "process", "tap"}

// Language is the keys that a filter of something can have, in the order of
// usefulness.
type Language []Key

var messages = Language{
	{Name: "method", Help: "the method"},
	{Name: "tool", Help: "the tool of a call"},
	{Name: "is", Type: Choice, Help: "how it ended", Words: verdicts},
	{Name: "kind", Type: Choice, Help: "the kind of row", Words: kinds},
	{Name: "dir", Type: Choice, Help: "to the server, to the client", Words: []string{"c2s", "s2c"}, Also: []string{"in", "out", "client", "server"}},
	{Name: "lat", Type: Latency, Help: "time to the response: lat>500ms"},
	{Name: "size", Type: Size, Help: "bytes of both: size>1k"},
	{Name: "status", Type: Status, Help: "HTTP status: 404, 4xx"},
	{Name: "code", Type: Integer, Help: "code of the error"},
	{Name: "id", Help: "the JSON-RPC id"},
	{Name: "finding", Help: "a rule that fired, or any"},
	{Name: "severity", Type: Choice, Help: "of a finding", Words: []string{"error", "warning", "note"}},
	{Name: "client", Help: "name and version"},
	{Name: "server", Help: "name and version"},
	{Name: "session", Help: "the session's id, number or name"},
	{Name: "text", Help: "words and payloads"},
	{Name: "jq", Type: Program, Help: "a jq program over the message"},
	{Name: "header", Help: "an HTTP header field"},
	{Name: "http", Help: "request line, status line"},
	{Name: "after", Type: Moment, Help: "after:10s, after:12:30, after:#7"},
	{Name: "before", Type: Moment, Help: "before:10s"},
	{Name: "time", Type: Moment, Help: "time>10s"},
	{Name: "flow", Type: Message, Help: "all rows of one message"},
	{Name: "comment", Help: "your comments"},
	{Name: "rule", Help: "the same as finding"},
}

// Messages is the language of filters of messages.
func Messages() Language { return messages }

// Sessions is the language of filters of sessions.
func Sessions() Language { return sessions }

var sessions = Language{
	{Name: "is", Type: Choice, Help: "its state", Words: []string{"failing", "error", "ok", "live", "ended", "replay"}},
	{Name: "client", Help: "name and version"},
	{Name: "server", Help: "name and version"},
	{Name: "tool", Help: "a called tool"},
	{Name: "rule", Help: "a rule that fired, or any"},
	{Name: "since", Type: Past, Help: "since:yesterday, since:2h", Words: []string{"today", "yesterday"}},
	{Name: "recording", Help: "name, id, command or address"},
	{Name: "session", Help: "the session id, or its name"},
}

// names are those of the keys with a blank between them.
func (l Language) names() string {
	var names []string
	for _, k := range l {
		names = append(names, k.Name)
	}
	return strings.Join(names, " ")
}

func (l Language) named(name string) *Key {
	for i := range l {
		if l[i].Name == name {
			return &l[i]
		}
	}
	return nil
}

// valueHelp says what can follow a key.
func (k *Key) valueHelp() string {
	switch k.Type {
	case Choice:
		return k.Name + ": " + strings.Join(k.Words, " ")
	case Latency:
		return "needs a time: lat>500ms"
	case Size:
		return "needs a size: size>1k"
	case Status:
		return "needs a status: status:404, status:4xx, status>=400"
	case Integer:
		return "needs an error code: code:-32602"
	case Message:
		return "needs the number of a message: flow:12"
	case Moment:
		return "needs a time: " + k.Name + ":10s, " + k.Name + ":12:30, " + k.Name + ":#7"
	case Past:
		return "needs a time: " + k.Name + ":today, " + k.Name + ":yesterday, " + k.Name + ":2h, " + k.Name + ":3d, " + k.Name + ":2026-11-21"
	case Program:
		return "needs a jq program: jq:'.params.name == \"search\"'"
	}
	if k.Name == "finding" || k.Name == "rule" {
		return k.Name + ": any, or a rule"
	}
	return "a value must follow " + k.Name + ":"
}

// nearest is the one of the words that was meant, "" when none is near.
func Nearest(word string, words []string) string {
	best, at := 3, ""
	for _, w := range words {
		if d := distance(word, w); d < best && 3*d <= len(w) {
			best, at = d, w
		}
	}
	return at
}

// distance is how many letters differ (Levenshtein).
func distance(a, b string) int {
	if len(a) > 20 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
