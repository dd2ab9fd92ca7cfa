package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/words"
)

// Compare asks what differs between two sessions: two runs of the same, or the
// two sides of a gateway.
type Compare struct {
	A       string `json:"a" jsonschema:"the session before; of a gateway the client's side"`
	B       string `json:"b" jsonschema:"the session after; of a gateway the server's side"`
	Gateway bool   `json:"gateway,omitempty" jsonschema:"a and b are recorded at the same time on both sides of a gateway: what did it drop or change?"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many calls that differ, 20 unless told, at most 50"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"from next of the page before"`
}

// Comparison is what differs between two sessions.
type Comparison struct {
	Same     bool           `json:"same"`
	Calls    []Difference   `json:"calls"`
	Total    int            `json:"total"`          // calls that differ
	Count    map[string]int `json:"count"`          // of all calls, by verdict
	Findings []Brief        `json:"findings"`       // of a gateway: what only the comparison shows
	Remarks  []string       `json:"remarks"`        // about the recordings
	Next     []Call         `json:"next,omitempty"` //

	ask  Compare
	from int
}

// Difference is a call that came to something else.
type Difference struct {
	Frame   uint32   `json:"frame,omitempty"`       // of the request in a
	Other   uint32   `json:"other_frame,omitempty"` // and in b
	Session int      `json:"session"`
	Label   string   `json:"label"`
	Verdict string   `json:"verdict"` // broken, fixed, changed, missing, extra, …
	Changes []string `json:"changes,omitempty"`
	Slower  bool     `json:"slower,omitempty"`
	Note    string   `json:"note,omitempty"`
}

// Ask implements the question.
func (q Compare) Ask(ctx context.Context, r *Recordings) (*Comparison, error) {
	from, err := offset(q.Cursor)
	if err != nil {
		return nil, err
	}
	a, err := r.find(q.A)
	if err != nil {
		return nil, fmt.Errorf("a: %w", err)
	}
	b, err := r.find(q.B)
	if err != nil {
		return nil, fmt.Errorf("b: %w", err)
	}
	c := newComparison(q)
	c.from = from
	if q.Gateway {
		return c, c.gateway(ctx, a, b)
	}
	report, err := diffOf(a, b)
	if err != nil {
		return nil, err
	}
	c.report(report, min(max(cmp.Or(q.Limit, 20), 1), 50))
	c.lead()
	return c, nil
}

func newComparison(q Compare) *Comparison {
	return &Comparison{
		ask: q, Calls: []Difference{}, Findings: []Brief{}, Remarks: []string{}, Count: map[string]int{},
	}
}

// diffOf compares two recorded sessions, call by call.
func diffOf(a, b place) (*replay.Report, error) {
	x, err := replay.Load(a.path)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := replay.Load(b.path)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	opt := replay.DiffOptions{Slow: replay.DefaultSlow()}
	if a.session > 0 {
		opt.A = []int{a.session - 1}
	}
	if b.session > 0 {
		opt.B = []int{b.session - 1}
	}
	return replay.Diff(x, y, opt)
}

// report takes what differs from a report.
func (c *Comparison) report(r *replay.Report, limit int) {
	c.Same, c.Remarks = !r.Differs(), append(c.Remarks, r.Remarks...)
	for _, p := range r.Problems {
		c.Remarks = append(c.Remarks, fmt.Sprintf("session %d: %s", p.Session, p.Text))
	}
	for _, f := range r.New {
		c.Remarks = append(c.Remarks, "new finding: "+f)
	}
	for _, f := range r.Gone {
		c.Remarks = append(c.Remarks, "finding resolved: "+f)
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		c.Count[o.Verdict.String()]++
		if !o.Differs() {
			continue
		}
		if c.Total++; c.Total > c.from && len(c.Calls) < limit {
			c.Calls = append(c.Calls, differenceOf(o))
		}
	}
}

func differenceOf(o *replay.Outcome) Difference {
	d := Difference{
		Frame: o.Frame, Other: o.Other, Session: o.Session, Label: words.Line(o.Label(), 160),
		Verdict: o.Verdict.String(), Slower: o.Slower, Note: words.Line(o.Note, 300),
	}
	const most = 5
	for i, change := range o.Changes {
		if i == most {
			d.Changes = append(d.Changes, fmt.Sprintf("and %d more", len(o.Changes)-most))
			break
		}
		d.Changes = append(d.Changes, words.Line(change.String(), 300))
	}
	for _, fault := range o.Schema[:min(len(o.Schema), most)] {
		d.Changes = append(d.Changes, "breaks its output schema: "+words.Line(fault, 200))
	}
	return d
}

// gateway finds what shows only when two sides are compared.
func (c *Comparison) gateway(ctx context.Context, a, b place) error {
	alone := map[string]bool{}
	key := func(f *export.Found) string { return fmt.Sprint(f.Rule, f.Recording, f.Frames) }
	for _, p := range []place{a, b} {
		checked, err := library.CheckUntil(ctx, []string{p.path}, rules.All())
		if err != nil {
			return err
		}
		for _, f := range export.Findings(checked[0]) {
			f.Each(func(f *export.Found) { alone[key(f)] = true })
		}
	}
	checked, err := library.CheckUntil(ctx, []string{a.path, b.path}, rules.All())
	if err != nil {
		return err
	}
	for _, one := range checked {
		for _, f := range export.Findings(one) {
			f.Each(func(f *export.Found) {
				if !alone[key(f)] {
					c.Findings = append(c.Findings, brief(f))
				}
			})
		}
	}
	c.Same = !slices.ContainsFunc(c.Findings, func(f Brief) bool { return f.Severity != diagnose.Note.String() })
	c.lead()
	return nil
}

// lead says what to ask next.
func (c *Comparison) lead() {
	c.Next = nil
	if n := c.from + len(c.Calls); n < c.Total {
		args := arguments(c.ask)
		args["cursor"] = fmt.Sprint(n)
		c.Next = append(c.Next, Call{Tool: toolCompare, Arguments: args, Why: fmt.Sprintf("%d more", c.Total-n)})
	}
	if len(c.Calls) > 0 {
		d := c.Calls[0]
		args := map[string]any{"session": c.ask.A, "frame": d.Frame}
		if d.Frame == 0 {
			args = map[string]any{"session": c.ask.B, "frame": d.Other}
		}
		c.Next = append(c.Next, Call{Tool: toolMessage, Arguments: args, Why: "the call whole"})
	}
	if len(c.Findings) > 0 {
		c.Next = append(c.Next, Call{Tool: toolExplain, Arguments: map[string]any{"rule": c.Findings[0].Rule}})
	}
}

// Shrink implements Result.
func (c *Comparison) Shrink() bool {
	n := len(c.Calls)
	switch {
	case n > 1:
		c.Calls = c.Calls[:n-1-n/8]
		c.lead()
	case len(c.Findings) > 1:
		c.Findings = c.Findings[:len(c.Findings)-1]
	case len(c.Remarks) > 2:
		c.Remarks = append(c.Remarks[:len(c.Remarks)/2-1], "more is left out: midwire diff prints all")
	default:
		return false
	}
	return true
}

// Markdown implements Result.
func (c *Comparison) Markdown(shell bool) string {
	b := page{shell: shell}
	head := "They differ."
	if c.Same {
		head = "They do not differ in what counts: times and ids do not."
	}
	var count []string
	for _, verdict := range sorted(c.Count) {
		count = append(count, fmt.Sprintf("%d %s", c.Count[verdict], verdict))
	}
	b.line(head, " ", strings.Join(count, ", "))
	if len(c.Calls)+len(c.Findings)+len(c.Remarks) > 0 {
		b.line(data)
		var rows strings.Builder
		for _, d := range c.Calls {
			fmt.Fprintf(&rows, "%s #%d ↔ #%d %s %s\n", d.Verdict, d.Frame, d.Other, d.Label, d.Note)
			for _, change := range d.Changes {
				rows.WriteString("    " + change + "\n")
			}
		}
		rows.WriteString(briefs(c.Findings))
		for _, remark := range c.Remarks {
			rows.WriteString("note: " + remark + "\n")
		}
		b.fence(rows.String())
	}
	b.calls(c.Next)
	return b.String()
}
