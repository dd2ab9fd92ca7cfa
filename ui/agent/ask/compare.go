package ask

import (
	"context"
	"errors"
	"fmt"

	"midwire/replay"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/library"
)

// Compare asks what differs between two sessions: two runs of the same, or the
// two sides of a gateway.
type Compare struct {
	A       string `json:"a" word:"arg" jsonschema:"the session before; of a gateway the client's side"`
	B       string `json:"b" word:"arg" jsonschema:"the session after; of a gateway the server's side"`
	Gateway bool   `json:"gateway,omitempty" word:"--gateway" jsonschema:"a and b are recorded at the same time on both sides of a gateway: what did it drop or change?"`
	Limit   int    `json:"limit,omitempty" word:"--limit" jsonschema:"how many calls that differ, default 20, at most 50"`
	Cursor  string `json:"cursor,omitempty" word:"--cursor" jsonschema:"from next of the page before"`
}

// Comparison is what differs between two sessions.
type Comparison struct {
	Same     bool           `json:"same"`
	Calls    []Difference   `json:"calls" least:"1"`
	Total    int            `json:"total"`              // calls that differ
	Count    map[string]int `json:"count"`              // of all calls, by verdict
	Findings []Brief        `json:"findings" least:"1"` // of a gateway: what only the comparison shows
	Remarks  []string       `json:"remarks" least:"2"`  // about the recordings
	Leads

	ask     Compare
	from    int
	remarks int // in all
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

// Ask implements Question.
func (q Compare) Ask(ctx context.Context, r *Recordings) (*Comparison, error) {
	a, err := r.find(q.A)
	if err != nil {
		return nil, fmt.Errorf("a: %w", err)
	}
	b, err := r.find(q.B)
	if err != nil {
		return nil, fmt.Errorf("b: %w", err)
	}
	if q.Gateway {
		return q.gateway(ctx, r, a, b)
	}
	report, err := diffOf(a, b)
	if err != nil {
		return nil, err
	}
	return q.report(r, report)
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

func (q Compare) report(r *Recordings, report *replay.Report) (*Comparison, error) {
	c := &Comparison{Same: !report.Differs(), Findings: []Brief{}, Count: map[string]int{}, ask: q}
	c.Remarks = append([]string{}, report.Remarks...)
	for _, p := range report.Problems {
		c.Remarks = append(c.Remarks, fmt.Sprintf("session %d: %s", p.Session, p.Text))
	}
	for _, f := range report.New {
		c.Remarks = append(c.Remarks, "new finding: "+f)
	}
	for _, f := range report.Gone {
		c.Remarks = append(c.Remarks, "finding resolved: "+f)
	}
	var differ []*replay.Outcome
	for i := range report.Outcomes {
		o := &report.Outcomes[i]
		if c.Count[o.Verdict.String()]++; o.Differs() {
			differ = append(differ, o)
		}
	}
	from, to, err := window(len(differ), q.Cursor, q.Limit, 20, 50)
	c.Calls = make([]Difference, 0, to-from)
	for _, o := range differ[from:to] {
		c.Calls = append(c.Calls, r.difference(o))
	}
	c.Total, c.from, c.remarks = len(differ), from, len(c.Remarks)
	return c, err
}

func (r *Recordings) difference(o *replay.Outcome) Difference {
	d := Difference{
		Frame: o.Frame, Other: o.Other, Session: o.Session, Label: r.cut(o.Label(), 160),
		Verdict: o.Verdict.String(), Slower: o.Slower, Note: r.cut(o.Note, 300),
	}
	const most = 5
	for _, change := range o.Changes[:min(len(o.Changes), most)] {
		d.Changes = append(d.Changes, r.cut(change.String(), 300))
	}
	if more := len(o.Changes) - most; more > 0 {
		d.Changes = append(d.Changes, fmt.Sprintf("and %d more", more))
	}
	for _, fault := range o.Schema[:min(len(o.Schema), most)] {
		d.Changes = append(d.Changes, "breaks its output schema: "+r.cut(fault, 200))
	}
	return d
}

func (q Compare) gateway(ctx context.Context, r *Recordings, a, b place) (*Comparison, error) {
	c := &Comparison{
		Same: true, Calls: []Difference{}, Findings: []Brief{}, Remarks: []string{}, Count: map[string]int{}, ask: q,
	}
	alone := map[string]bool{}
	for _, files := range [][]string{{a.path}, {b.path}, {a.path, b.path}} {
		checked, err := library.CheckUntil(ctx, files, rules.All(), nil)
		if err != nil {
			return nil, err
		}
		for _, one := range checked {
			for _, f := range r.found(one) {
				f.Each(func(f *export.Found) {
					key := fmt.Sprint(f.Rule, f.Recording, f.Frames)
					if len(files) == 1 {
						alone[key] = true
					} else if !alone[key] {
						c.Findings = append(c.Findings, r.brief(f))
						c.Same = c.Same && f.Level == diagnose.Note
					}
				})
			}
		}
	}
	return c, nil
}

func (c *Comparison) lead() {
	c.restart(toolCompare, c.ask, c.from+len(c.Calls), c.Total)
	if n := len(c.Remarks); n < c.remarks {
		c.Remarks[n-1] = "more is left out: midwire diff prints all"
	}
	if len(c.Calls) > 0 {
		args := map[string]any{"session": c.ask.A, "frame": c.Calls[0].Frame}
		if c.Calls[0].Frame == 0 {
			args = map[string]any{"session": c.ask.B, "frame": c.Calls[0].Other}
		}
		c.add(toolMessage, "the call whole", args)
	}
	if len(c.Findings) > 0 {
		c.add(toolExplain, "", map[string]any{"rule": c.Findings[0].Rule})
	}
}

// Replay asks what a server answers to a recorded session, or what would be sent.
type Replay struct {
	Session string   `json:"session" word:"arg" jsonschema:"whose client is played"`
	To      string   `json:"to,omitempty" word:"--to" jsonschema:"URL of the server"`
	Send    bool     `json:"send,omitempty" jsonschema:"send it; without it only the plan comes back"`
	Yes     bool     `json:"yes,omitempty" word:"--yes" jsonschema:"call tools that are not marked read-only as well"`
	Limit   int      `json:"limit,omitempty" jsonschema:"how many calls that differ, default 20, at most 50"`
	Command []string `json:"command,omitempty" word:"--" jsonschema:"or the command that starts it, with its arguments"`
}

// Replayer replays the recording in a file, or with Send false makes a plan in
// words.
type Replayer func(ctx context.Context, file string, session int, q Replay) (string, *replay.Report, error)

// Replayed is the plan of a replay, or what came of it.
type Replayed struct {
	Plan   string      `json:"plan,omitempty" least:"1000"`
	Cut    bool        `json:"plan_cut,omitempty"` // the plan is longer: midwire replay --plan prints it
	Result *Comparison `json:"result,omitempty"`
	Other  string      `json:"recording,omitempty"` // of the replay
	Leads

	ask   Replay
	whole int // bytes of the plan
}

// Ask implements Question.
func (q Replay) Ask(ctx context.Context, r *Recordings) (*Replayed, error) {
	if r.Replay == nil {
		return nil, errors.New("nothing may be sent or started here: midwire mcp --allow-replay allows it")
	}
	at, err := r.find(q.Session)
	if err != nil {
		return nil, err
	}
	if q.Send && q.To == "" && len(q.Command) == 0 {
		return nil, errors.New("send it where? Give to, a URL, or command")
	}
	plan, report, err := r.Replay(ctx, at.path, at.session, q)
	if err != nil {
		return nil, err
	}
	plan = r.mask(plan)
	out := &Replayed{Plan: plan, ask: q, whole: len(plan)}
	if report == nil {
		return out, nil
	}
	if len(report.Other) > 0 {
		out.Other = placeOf(report.Other[0], 0).id
	}
	out.Result, err = Compare{A: at.ref(), B: out.Other, Limit: q.Limit}.report(r, report)
	return out, err
}

func (p *Replayed) lead() {
	p.Cut, p.Next = len(p.Plan) < p.whole, nil
	if p.Result == nil {
		p.add(toolReplay, "sends it", again(p.ask, "send", true))
		return
	}
	p.Result.lead()
	p.Next = p.Result.Next
}
