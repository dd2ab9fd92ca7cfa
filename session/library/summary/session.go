package summary

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// text cuts a text as rows are cut.
func text(s string) string { return words.Ellipsis(strings.ToValidUTF8(s, "\ufffd"), MaxText) }

// Counter counts what is in a session of a tracker, some rows at a time. Rows that
// come after Count are left out.
type Counter struct {
	s     Session
	t     *session.Tracker
	tool  func(row int) string
	rows  []uint32
	at    int
	took  []int64 // latency of calls, of every stride-th one
	calls int
	tools map[string]*Tool

	stride int
}

// maxTook bounds how many latencies a percentile is taken of: of more calls it is
// that of as many, evenly spread.
const maxTook = 1 << 16

// Count begins to count; tool is the tool that a row calls, "" for none.
func Count(t *session.Tracker, from *session.Session, tool func(row int) string) *Counter {
	c := &Counter{t: t, tool: tool, rows: from.Rows(), tools: map[string]*Tool{}, stride: 1}
	c.s = Session{
		Index: from.Index, Transport: from.Transport, Modern: from.Modern, Probe: from.Probe,
		IDSource: from.IDSource, Why: text(from.Why), State: from.State,
		Started: from.Started, Last: from.Last,
		Messages: from.Messages, Requests: from.Calls, Errors: from.Errors, Pending: from.Pending,
	}
	identity(&c.s, from)
	if len(c.rows) > 0 {
		first := t.Row(int(c.rows[0]))
		c.s.Frame, c.s.Part = first.Request, first.Batch
	}
	return c
}

// Judge takes what the session comes to, and its life cycle as that has it; live says
// whether more may come.
func (s *Session) Judge(v diagnose.Verdict, from *session.Session, live bool) {
	steps := v.LifeCycle(from.Steps, live)
	s.Steps = nil
	for _, step := range steps[:min(len(steps), maxSteps)] {
		step.Name, step.Note = text(step.Name), text(step.Note)
		s.Steps = append(s.Steps, Step(step))
	}
	s.Result = v
	s.Result.Cause = nil
	s.Result.Rewrite(text)
}

// show takes the card of the session.
func (s *Session) show(card []evidence.Line) {
	s.Card = nil
	for _, l := range card[:min(len(card), maxCard)] {
		one := evidence.Line{Label: l.Label}
		for _, p := range l.Parts[:min(len(l.Parts), maxParts)] {
			p.Text = words.Ellipsis(strings.ToValidUTF8(p.Text, "\ufffd"), maxPart)
			one.Parts = append(one.Parts, p)
		}
		s.Card = append(s.Card, one)
	}
}

// Step counts at most n rows more. It returns how many it counted, and whether
// these were the last.
func (c *Counter) Step(n int) (counted int, last bool) {
	to := min(c.at+n, len(c.rows))
	counted = to - c.at
	for _, i := range c.rows[c.at:to] {
		row := c.t.Row(int(i))
		c.s.active(row)
		if row.Kind != session.RowCall || row.Dir != wire.ToServer {
			continue
		}
		if name := c.tool(int(i)); name != "" {
			note(c.tools, name, row)
		}
		switch c.t.Name(row.Name) {
		case mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet:
			if row.Parent >= 0 { // a further round of a call
				continue
			}
			if c.s.Calls++; row.Response != 0 {
				c.latency(row.Latency())
			}
		}
	}
	c.at = to
	return counted, to == len(c.rows)
}

func (c *Counter) latency(took int64) {
	if c.calls++; c.calls%c.stride != 0 {
		return
	}
	if c.took = append(c.took, took); len(c.took) < 2*maxTook {
		return
	}
	for i := range maxTook {
		c.took[i] = c.took[2*i+1]
	}
	c.took, c.stride = c.took[:maxTook], 2*c.stride
}

// Session is what was counted. What was found and the last rows are left out.
func (c *Counter) Session() Session {
	s := c.s
	slices.Sort(c.took)
	s.P50, s.P95 = percentile(c.took, 50), percentile(c.took, 95)
	s.Tools = nil
	for _, t := range c.tools {
		s.Tools = append(s.Tools, *t)
	}
	slices.SortFunc(s.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	if s.MoreTools = max(0, len(s.Tools)-maxTools); s.MoreTools > 0 {
		s.Tools = s.Tools[:maxTools]
	}
	return s
}

// Summarize counts a session as a whole.
func Summarize(t *session.Tracker, from *session.Session, tool func(row int) string) Session {
	c := Count(t, from, tool)
	c.Step(len(c.rows))
	return c.Session()
}

func note(tools map[string]*Tool, name string, row *session.Row) {
	t := tools[name]
	if t == nil {
		t = &Tool{Name: text(name)}
		tools[name] = t
	}
	if t.Calls++; row.Ending.Bad() {
		t.Errors++
	}
}

// active enters a row into the activity of its session.
func (s *Session) active(row *session.Row) {
	a := &s.Activity
	switch row.Kind {
	case session.RowCall, session.RowNotification, session.RowResponse:
		a.Messages[s.slot(row.T)]++
		if row.Kind == session.RowCall && row.Response != 0 {
			a.Messages[s.slot(row.End)]++
		}
	}
	if row.Ending.Bad() {
		a.Failed[s.slot(max(row.T, row.End))]++
	}
}

func (s *Session) slot(t int64) int {
	if s.Last <= s.Started {
		return 0
	}
	share := (float64(t) - float64(s.Started)) / (float64(s.Last) - float64(s.Started))
	return max(0, min(Slots-1, int(share*Slots)))
}

// percentile is the nearest rank in what is sorted, 0 for nothing.
func percentile(sorted []int64, p int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}

// maxLoaded is how long a frame may be that is put into words once more.
const maxLoaded = 1 << 20

// rows describes the rows of a session that tell most: those that failed, and the last
// call like the first of them that worked, else its last rows.
func (m *maker) rows(s *Session, from *session.Session) {
	for _, i := range m.telling(from.Rows()) {
		row := m.tracker.Row(int(i))
		target, result := describe.Row(m.tracker, row, m.load(row.Request, row.Len), m.load(row.Response, row.RLen))
		s.Rows = append(s.Rows, RowOf(row, m.tracker.Name(row.Name), target, result))
	}
}

// telling chooses among the rows of a session.
func (m *maker) telling(all []uint32) (rows []uint32) {
	for _, i := range all {
		if m.tracker.Row(int(i)).Ending.Bad() && len(rows) < maxRows-1 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return all[max(0, len(all)-maxRows):]
	}
	first, tool := m.tracker.Row(int(rows[0])), m.tool(int(rows[0]))
	worked := -1
	for k, i := range all {
		row := m.tracker.Row(int(i))
		like := row.Ending == session.Served && row.Name == first.Name && m.tool(int(i)) == tool
		if like && (i < rows[0] || worked < 0) {
			worked = k
		}
	}
	if worked >= 0 {
		rows = append(rows, all[worked])
	}
	slices.Sort(rows)
	return rows
}

// RowOf returns a row with its method, its subject and its outcome in words.
func RowOf(row *session.Row, method, target, result string) Row {
	return Row{
		Frame: row.Request, T: row.T, Kind: row.Kind, Dir: row.Dir, Ending: row.Ending,
		Method: text(method), Target: text(target), Result: text(result), Latency: row.Latency(),
	}
}

func (m *maker) load(n, length uint32) *wire.Frame {
	if n == 0 || length > maxLoaded {
		return nil
	}
	f, err := m.reader.Frame(uint64(n))
	if err != nil {
		return nil
	}
	return &f
}

// room is how many bytes of the file are left for what is nice to have. The
// newest sessions have everything, older ones no preview, still older ones
// nothing but what they are.
type room struct{ rows, lists, all int }

func newRoom() room { return room{rows: 320 << 10, lists: 512 << 10, all: 768 << 10} }

// take makes room for a session, or says that there is none.
func (r *room) take(s *Session, rows func()) bool {
	if r.rows > 0 {
		rows()
	}
	n := r.size(s)
	if r.rows < n && (s.Rows != nil || s.Card != nil) {
		s.Rows, s.Card = nil, nil
		n = r.size(s)
	}
	if r.lists < n {
		s.Tools, s.MoreTools = nil, s.MoreTools+len(s.Tools)
		s.Findings = s.Findings[:min(len(s.Findings), 1)]
		s.Steps, s.Activity, s.Card = nil, Activity{}, nil
		n = r.size(s)
	}
	r.rows, r.lists, r.all = r.rows-n, r.lists-n, r.all-n
	return r.all >= 0
}

func (r *room) size(s *Session) int {
	raw, err := json.Marshal(s)
	if err != nil {
		return r.all + 1
	}
	return len(raw) + 1
}
