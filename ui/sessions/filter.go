package sessions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	lang "midwire/session/filter"
	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/ui/filter"
	"midwire/ui/library"
)

// wanted is what is shown, and why: it is what the line of the filter is about.
type wanted struct {
	v    *View
	node *lang.Node
}

var _ filter.Subject = (*wanted)(nil)

// Language implements filter.Subject.
func (w *wanted) Language() lang.Language { return lang.Sessions() }

// Filter implements filter.Subject.
func (w *wanted) Filter(n *lang.Node) {
	w.node, w.v.stale = n, true
	w.v.rearrange()
}

// Matches implements filter.Subject.
func (w *wanted) Matches() (shown, of int) { return len(w.v.kept), w.v.total }

// Example implements filter.Subject.
func (w *wanted) Example() safe.Text {
	return "is:failing  client:cursor  since:yesterday  tool:search or rule:any"
}

// Values implements filter.Subject.
func (w *wanted) Values(key string) map[string]int {
	n := map[string]int{}
	if key == "since" {
		n = map[string]int{"today": 0, "yesterday": 0, "1h": 0, "7d": 0}
	}
	for _, s := range w.v.sources {
		for _, r := range s.rows {
			for _, text := range r.values(key) {
				n[text]++
			}
		}
	}
	return n
}

func (r *row) values(key string) (out []string) {
	if key == "recording" {
		return []string{string(r.rec.Name())}
	}
	if key == "is" {
		return r.is()
	}
	if r.sum == nil {
		return nil
	}
	switch key {
	case "client":
		return []string{peer(r.sum.Client)}
	case "server":
		return []string{peer(r.sum.Server)}
	case "session":
		return []string{r.sum.ID}
	case "tool":
		for _, t := range r.sum.Tools {
			out = append(out, t.Name)
		}
	case "rule":
		for _, f := range r.sum.Findings {
			out = append(out, f.Rule)
		}
	}
	return out
}

func peer(p summary.Peer) string { return strings.TrimSpace(cmp.Or(p.Name, p.Title) + " " + p.Version) }

func (r *row) is() (out []string) {
	for _, w := range []struct {
		word string
		ok   bool
	}{
		{"failing", r.failing()},
		{"error", r.sum != nil && r.sum.Errors > 0},
		{"ok", !r.failing() && r.sum != nil},
		{"live", r.live()},
		{"ended", !r.live()},
		{"replay", r.replay()},
	} {
		if w.ok {
			out = append(out, w.word)
		}
	}
	return out
}

func (r *row) texts() []string {
	out := []string{string(r.rec.Name()), r.rec.Label, r.rec.ID, r.rec.Where, r.rec.Tap, string(r.called())}
	if s := r.sum; s != nil {
		out = append(out, s.ID, s.Client.Name, s.Client.Title, s.Client.Version, s.Server.Name, s.Server.Title,
			s.Server.Version, string(s.ProtocolVersion))
		out = append(out, r.values("tool")...)
		for i := range s.Findings {
			out = append(out, s.Findings[i].Title, string(library.Short(s.Findings[i].Rule)))
		}
	}
	return out
}

func (w *wanted) keeps(now time.Time) func(*row) bool {
	if w.node == nil {
		return func(*row) bool { return true }
	}
	return condition(w.node, now)
}

func condition(n *lang.Node, now time.Time) func(*row) bool {
	var kids []func(*row) bool
	for _, k := range n.Kids {
		kids = append(kids, condition(k, now))
	}
	switch n.Kind {
	case lang.Not:
		return func(r *row) bool { return !kids[0](r) }
	case lang.And:
		return func(r *row) bool {
			return !slices.ContainsFunc(kids, func(k func(*row) bool) bool { return !k(r) })
		}
	case lang.Or:
		return func(r *row) bool {
			return slices.ContainsFunc(kids, func(k func(*row) bool) bool { return k(r) })
		}
	}
	return termCondition(n, now)
}

func termCondition(n *lang.Node, now time.Time) func(*row) bool {
	has := lang.TextMatch(n)
	switch n.Key {
	case "":
		return func(r *row) bool { return slices.ContainsFunc(r.texts(), has) }
	case "is":
		return func(r *row) bool { return slices.Contains(r.is(), n.Word) }
	case "since":
		from := since(n, now)
		return func(r *row) bool { return r.rec.Live || !r.last().Before(from) }
	case "rule":
		if strings.EqualFold(n.Value, "any") {
			return func(r *row) bool { return r.worst() != nil }
		}
	case "recording":
		return func(r *row) bool {
			return slices.ContainsFunc([]string{string(r.rec.Name()), r.rec.Label, r.rec.ID, r.rec.Where}, has)
		}
	case "session":
		return func(r *row) bool { return r.sum != nil && (has(r.sum.ID) || has(string(r.called()))) }
	}
	return func(r *row) bool { return slices.ContainsFunc(r.values(n.Key), has) }
}

// since is the moment that a term means.
func since(n *lang.Node, now time.Time) time.Time {
	now = now.Local()
	y, m, d := now.Date()
	switch n.Word {
	case "":
		return now.Add(-time.Duration(n.Low))
	case "today":
		return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
	case "yesterday":
		return time.Date(y, m, d-1, 0, 0, 0, 0, time.Local)
	}
	day, _ := time.ParseInLocation(time.DateOnly, n.Word, time.Local)
	return day
}
