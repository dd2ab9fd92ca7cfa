package filter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/query"
)

// rowsPerCount is how many rows are counted before the keys get a turn.
const rowsPerCount = 20_000

// facets counts what the rows of a scope have, so that completion can offer
// it. It goes over the rows in pieces, while a filter is being written.
type facets struct {
	rows     messages.List // the scope, as rows
	done     int
	busy     bool
	names    map[uint32]int
	tools    map[string]int
	status   map[uint16]int
	codes    map[int32]int
	sessions map[int32]int
	kinds    [8]int
	dirs     map[wire.Dir]int
	endings  map[string]int // by the word of the filter
	marked   int
	modern   int
}

func newFacets(sc library.Scope) facets {
	return facets{
		rows: messages.List{Scope: sc}, names: map[uint32]int{}, tools: map[string]int{},
		status: map[uint16]int{}, codes: map[int32]int{},
		sessions: map[int32]int{}, dirs: map[wire.Dir]int{}, endings: map[string]int{},
	}
}

// count counts some more rows and says whether those were all.
func (c *facets) count(limit int) bool {
	total := c.rows.Total()
	for end := min(total, c.done+limit); c.done < end; c.done++ {
		c.take(int(c.rows.IDAt(c.done)))
	}
	return c.done >= total
}

func (c *facets) take(i int) {
	rec := c.rows.Rec
	row := rec.Tracker.Row(i)
	switch row.Kind {
	case session.RowCall, session.RowNotification:
		c.names[row.Name]++
	}
	if tool := query.ToolOf(rec, row, i); tool != "" {
		c.tools[tool]++
	}
	if row.Status != 0 {
		c.status[row.Status]++
	}
	if row.Code != 0 {
		c.codes[row.Code]++
	}
	if rec.Marked(i) {
		c.marked++
	}
	if row.Modern {
		c.modern++
	}
	c.sessions[row.Session]++
	c.kinds[row.Kind]++
	c.dirs[row.Dir]++
	c.endings[row.Ending.Word()]++
}

// CountMsg says that counting may go on.
type CountMsg struct{}

// CountOn counts on while a filter is written.
func (f *Line) CountOn(h Host) tea.Cmd {
	c := &f.drop.facets
	if !f.writing || c.busy || c.rows.Rec == nil {
		return nil
	}
	if c.rows.Scope != h.Scope() {
		*c = newFacets(h.Scope())
	}
	if c.done >= c.rows.Total() {
		return nil
	}
	over := c.count(rowsPerCount)
	f.drop.refresh(f)
	if over {
		return nil
	}
	c.busy = true
	return func() tea.Msg { return CountMsg{} }
}

// Value is a value that completion offers; N is 0 where nothing was counted.
type Value struct {
	Text string
	N    int
}

// values are those that a key can have, the most frequent first.
func (c *facets) values(key string) []Value {
	rec := c.rows.Rec
	if rec == nil {
		return nil
	}
	var out []Value
	add := func(v string, n int) {
		if v != "" && n > 0 {
			out = append(out, Value{v, n})
		}
	}
	switch key {
	case "method":
		for id, n := range c.names {
			add(rec.Tracker.Name(id), n)
		}
	case "tool":
		for tool, n := range c.tools {
			add(tool, n)
		}
	case "status":
		for s, n := range c.status {
			add(strconv.Itoa(int(s)), n)
		}
	case "code":
		for s, n := range c.codes {
			add(strconv.Itoa(int(s)), n)
		}
	case "kind":
		for k, name := range query.RowKindNames() {
			add(name, c.kinds[k])
		}
	case "dir":
		add("c2s", c.dirs[wire.ToServer])
		add("s2c", c.dirs[wire.ToClient])
	case "is":
		for _, word := range []string{"error", "pending", "ok", "warn", "cancelled", "lost"} {
			add(word, c.endings[word])
		}
		add("marked", c.marked)
		add("modern", c.modern)
	case "client", "server", "session":
		out = c.ofSessions(key)
	case "finding", "rule", "severity":
		out = c.ofFindings(key)
	default:
		return fixedValues(key)
	}
	slices.SortFunc(out, func(a, b Value) int { return cmp.Or(b.N-a.N, strings.Compare(a.Text, b.Text)) })
	return out
}

func (c *facets) ofSessions(key string) []Value {
	by := map[string]int{}
	for i, n := range c.sessions {
		s := c.rows.Rec.Session(int(i))
		if s == nil {
			continue
		}
		switch key {
		case "client":
			by[query.PeerName(s.Client)] += n
		case "server":
			by[query.PeerName(s.Server)] += n
		default:
			by[cmp.Or(s.ID, strconv.Itoa(s.Index+1))] += n
		}
	}
	var out []Value
	for v, n := range by {
		if v != "" {
			out = append(out, Value{v, n})
		}
	}
	return out
}

func (c *facets) ofFindings(key string) []Value {
	by := map[string]int{}
	for _, f := range c.rows.Rec.Findings.All {
		if c.rows.Session >= 0 && f.Session != c.rows.Session {
			continue
		}
		v := f.Rule.ID
		if key == "severity" {
			v = f.Severity.String()
		}
		by[v] += max(f.Count, 1)
	}
	var out []Value
	for v, n := range by {
		out = append(out, Value{v, n})
	}
	if len(out) > 0 && key != "severity" {
		total := &c.rows.Rec.Findings.Total
		out = append(out, Value{"any", total[diagnose.Error] + total[diagnose.Warning] + total[diagnose.Note]})
	}
	return out
}

// fixedValues are examples for keys of which nothing is counted.
func fixedValues(key string) []Value {
	var words []string
	switch key {
	case "lat":
		words = []string{"100ms", "500ms", "1s", "5s"}
	case "size":
		words = []string{"1k", "10k", "100k", "1m"}
	case "after", "before", "time":
		words = []string{"10s", "1m", "10m"}
	case "header":
		words = []string{"mcp-session-id", "mcp-protocol-version", "content-type", "accept", "authorization", "last-event-id", "www-authenticate"}
	case "http":
		words = []string{"POST", "GET", "DELETE"}
	case "mark":
		words = []string{"any", "none"}
	}
	var out []Value
	for _, w := range words {
		out = append(out, Value{w, 0})
	}
	return out
}
