package filter

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/query"
	"midwire/ui/view"
)

const (
	maxCounted = 20_000 // rows that are looked at for values, the latest
	maxValue   = 80     // bytes of a value that is offered
)

// completion is what can stand in place of the word at the cursor.
type completion struct {
	words    []string
	from, to int // the word, in bytes
	at       int // the one that was written, -1 for none
}

func (f *Line) offer(h view.Host) {
	text, cursor := f.Text(), len(f.input.Before())
	language := lang.Messages()
	if f.of != nil {
		language = f.of.Language()
	}
	spot := language.WordAt(text, cursor)
	f.words = completion{from: spot.From, to: spot.To, at: -1}
	var all []string
	switch {
	case spot.Key == "" && spot.Op == "":
		all = keysWith(language, spot.Value)
	case spot.Key != "" && spot.Op != "~":
		for _, v := range fitting(f.values(h, spot.Key), spot.Value) {
			all = append(all, spot.Key+spot.Op+lang.Quote(v))
		}
	}
	f.words.words = slices.DeleteFunc(all, func(s string) bool { return s == text[spot.From:spot.To] })
}

// keysWith are the keys that begin with a text, ready for a value.
func keysWith(language lang.Language, begin string) (out []string) {
	for _, k := range language {
		op := ":"
		if k.Type == lang.Latency || k.Type == lang.Size {
			op = ">"
		}
		if words.HasPrefix(k.Name, begin) {
			out = append(out, k.Name+op)
		}
	}
	return out
}

// values are those that a key can have, the most frequent first. What could not be
// typed is left out.
func (f *Line) values(h view.Host, key string) []string {
	n := map[string]int{}
	if f.of != nil {
		n = f.of.Values(key)
	} else {
		countValues(h.Scope(), key, n)
	}
	maps.DeleteFunc(n, func(v string, _ int) bool {
		return v == "" || len(v) > maxValue || string(safe.Line(v)) != v
	})
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(n[b]-n[a], strings.Compare(a, b))
	})
}

// fitting are the values that hold a text, those that begin with it first.
func fitting(all []string, begin string) []string {
	var first, then []string
	for _, v := range all {
		switch {
		case words.HasPrefix(v, begin):
			first = append(first, v)
		case words.Contains(v, begin):
			then = append(then, v)
		}
	}
	return append(first, then...)
}

var examples = map[string]string{
	"lat": "100ms 500ms 1s 5s", "size": "1k 10k 100k 1m", "after": "10s 1m 10m", "before": "10s 1m 10m", "time": "10s 1m 10m",
	"header": "mcp-session-id mcp-protocol-version content-type accept authorization last-event-id www-authenticate",
	"http":   "POST GET DELETE",
}

func countValues(sc library.Scope, key string, n map[string]int) {
	for v := range strings.FieldsSeq(examples[key]) {
		n[v] = 0
	}
	for _, k := range lang.Messages() {
		if k.Name == key {
			for _, word := range k.Words {
				n[word] = 0
			}
		}
	}
	if sc.Rec == nil {
		return
	}
	if key == "finding" || key == "rule" {
		for _, f := range sc.Rec.Findings.All {
			if sc.Session < 0 || f.Session == sc.Session {
				n["any"], n[f.Rule.ID] = 1<<20, n[f.Rule.ID]+max(f.Count, 1)
			}
		}
		return
	}
	rows := messages.List{Scope: sc}
	for k := max(0, rows.Total()-maxCounted); k < rows.Total(); k++ {
		if v := valueOf(sc.Rec, int(rows.IDAt(k)), key); v != "" {
			n[v]++
		}
	}
}

// valueOf is what a row has for a key, "" for nothing.
func valueOf(rec *library.Recording, i int, key string) string {
	row := rec.Tracker.Row(i)
	s := rec.Session(int(row.Session))
	switch key {
	case "method":
		if row.Kind == session.RowCall || row.Kind == session.RowNotification {
			return rec.Tracker.Name(row.Name)
		}
	case "tool":
		return query.ToolOf(rec, row, i)
	case "kind":
		return query.RowKindNames()[row.Kind]
	case "dir":
		return map[wire.Dir]string{wire.ToServer: "c2s", wire.ToClient: "s2c"}[row.Dir]
	case "is":
		return row.Ending.Word()
	case "status":
		return number(int(row.Status))
	case "code":
		return number(int(row.Code))
	}
	if s == nil {
		return ""
	}
	switch key {
	case "client":
		return query.PeerName(s.Client)
	case "server":
		return query.PeerName(s.Server)
	case "session":
		return cmp.Or(s.ID, strconv.Itoa(s.Index+1))
	}
	return ""
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// complete writes the correction where the filter is wrong and the correction is
// obvious; else what can stand at the cursor, the next one each time.
func (f *Line) complete(h view.Host, step int) {
	c := &f.words
	text := f.Text()
	if f.err != nil && f.err.Fix != "" && c.at < 0 {
		f.replace(h, f.err.From, f.err.To, f.err.Fix)
		f.offer(h)
		return
	}
	if len(c.words) == 0 {
		return
	}
	if c.at < 0 && step < 0 {
		c.at = 0
	}
	c.at = (c.at + step + len(c.words)) % len(c.words)
	word := c.words[c.at]
	f.replace(h, c.from, min(max(c.to, c.from), len(text)), word)
	c.to = c.from + len(word)
	if len(c.words) == 1 {
		f.offer(h)
	}
}

// replace writes a text in place of a piece of the line, and puts the cursor behind it.
func (f *Line) replace(h view.Host, from, to int, by string) {
	text := f.Text()
	f.input.SetValue(text[:from] + by + text[to:])
	f.input.SetCursor(len([]rune(text[:from] + by)))
	f.apply(h)
}
