package replay

import (
	"encoding/json"
	"slices"
	"strings"

	"midwire/session/handle"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/words"
)

// What differs between two runs of a server that behaves the same: times,
// durations, ids it invented, what it says of its own version. Known rules mask
// them; whatever is left is a difference.

// Masks decides which differences do not count.
type Masks struct {
	Rules []Rule
	// Handles are values of the first side and what stands for them on the
	// other, as a Plan found them.
	Handles map[string]string
}

// timeWords end, or are, names of members that hold a time or a duration.
var timeWords = [...]string{
	"timestamp", "time", "date", "datetime", "created", "updated", "modified", "expires", "expiry", "at",
	"took", "duration", "elapsed", "latency", "uptime", "age", "ms", "ttl", "interval", "seconds", "nanos",
}

// volatileNames are members that say something of one run only.
var volatileNames = [...]string{mcp.MetaTraceParent, mcp.MetaTraceState, mcp.MetaBaggage, "etag"}

func lastWord(name string) string {
	i := len(name)
	for i > 0 && handle.IsLetter(name[i-1]) {
		i--
		if c := name[i]; c >= 'A' && c <= 'Z' && (i == 0 || !(name[i-1] >= 'A' && name[i-1] <= 'Z')) {
			break
		}
	}
	return words.Fold(name[i:])
}

func timeName(name string) bool {
	word := lastWord(name)
	for _, w := range timeWords {
		if word == w || words.Fold(name) == w {
			return true
		}
	}
	first, rest, _ := strings.Cut(words.Fold(name), "_")
	return rest != "" && (first == "took" || first == "elapsed" || first == "duration")
}

// ignored says why a difference between two values at a place does not count, "" when
// it does. rules are those of the call in hand.
func (m *Masks) ignored(rules []Rule, firm *firm, at jsonpath.Path, a, b any) string {
	name := at.Last()
	was, now := plain(a), plain(b)
	issued := m.Handles[was] == now && now != ""
	switch n := len(at); {
	case covered(rules, at):
		return "a rule says so"
	case name == "nextCursor" || name == "requestState":
		return "a cursor"
	case slices.Contains(volatileNames[:], name):
		return "it says something of one run only"
	case n > 1 && name == "version" && strings.HasSuffix(at[n-2].Name, "serverInfo"):
		return "the server's version"
	case !issued && firm.has(name, was):
		return ""
	}
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		switch {
		case !ok:
		case timeName(name):
			return "a time"
		case issued && (handle.Named(name) || firm != nil && firm.names[name]):
			return "an id"
		case handle.Named(name) && isWhole(a) && isWhole(b) && !firm.stable(at, was):
			return "an id"
		}
	case string:
		if b, ok := b.(string); ok {
			return m.sameText(firm, name, a, b)
		}
	}
	return ""
}

// plain is a text, or a number as it is written; "" for anything else.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func isWhole(n json.Number) bool { return !strings.ContainsAny(n.String(), ".eE") }

// sameText says what is volatile in two texts that differ in nothing else, "" when they
// do.
func (m *Masks) sameText(firm *firm, name, a, b string) string {
	id := handle.Named(name) && !strings.ContainsAny(a+b, " \n")
	digits := hasDigit(a) && hasDigit(b)
	switch now, ok := m.Handles[a]; {
	case ok && now == b:
		return "another handle was issued"
	case digits && timeName(name):
		return "a time"
	case handle.Opaque(a) && handle.Opaque(b), id && len(a) == len(b) && len(a) >= 16:
		return "an id"
	case digits && id && shape(a) == shape(b):
		return "an id"
	case !(digits && id) && m.mask(firm, a) == mask(firm, b):
		return "times or ids in it"
	}
	return ""
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// shape is a text with every number in it made the same.
func shape(s string) string { return numbers().ReplaceAllString(s, "0") }

var (
	numbers = words.Pattern(`[0-9]+`)
	// moments are dates with a time, times of day, and durations with a unit.
	moments = words.Pattern(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?(Z|UTC|[+-]\d\d:?\d\d))?` +
		`|\b\d\d:\d\d:\d\d([.,]\d+)?\b|\b\d+([.,]\d+)?\s?(ns|µs|us|ms|s|sec|secs|seconds)\b`)
)

// mask is a text without what is volatile in it.
func (m *Masks) mask(firm *firm, text string) string {
	if len(m.Handles) > 0 {
		text = replaceTokens(text, func(_ int, token string) (string, bool) {
			now, ok := m.Handles[token]
			return now, ok
		})
	}
	return mask(firm, text)
}

func mask(firm *firm, text string) string {
	text = moments().ReplaceAllString(text, "~")
	return replaceTokens(text, func(from int, token string) (string, bool) {
		label := handle.Label(text, from)
		return "~", !firm.has(label, token) && (handle.Opaque(token) || hasDigit(token) && handle.Named(label))
	})
}

// replaceTokens replaces tokens of a text: of two that overlap the longer one
// is asked about first.
func replaceTokens(text string, with func(from int, token string) (string, bool)) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if !handle.ClassPath.Has(text[i]) {
			out.WriteByte(text[i])
			i++
			continue
		}
		token := handle.ClassPath.Run(text, i)
		now, ok := with(i, token)
		if word := handle.ClassWord.Run(text, i); !ok && word != "" {
			token = word
			now, ok = with(i, token)
		}
		switch {
		case ok:
			out.WriteString(now)
		case token == "" || !handle.ClassWord.Has(text[i]):
			token = text[i : i+1] // a token may begin behind it: sid=a1b2
			out.WriteString(token)
		default:
			out.WriteString(token)
		}
		i += len(token)
	}
	return out.String()
}

// AcrossEras masks also what results have in one era and not in the other
// (2026-07-28, 6.2 and 6.9).
func (m *Masks) AcrossEras() *Masks {
	all := Masks{Rules: m.Rules[:len(m.Rules):len(m.Rules)], Handles: m.Handles}
	for _, name := range [...]string{"resultType", "ttlMs", "cacheScope", "_meta"} {
		all.Rules = append(all.Rules, Rule{Path: jsonpath.Path{{Name: "result"}, {Name: name}}})
	}
	return &all
}
