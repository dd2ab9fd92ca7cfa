package ask

import (
	"context"
	"fmt"
	"slices"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/library/summary"
	"midwire/session/record"
	"midwire/session/words"
)

// Diagnose asks what is wrong with a session, why, and what to change.
type Diagnose struct {
	Session string `json:"session,omitempty" jsonschema:"which session: RECORDING.NUMBER, or RECORDING for all of it; the newest with trouble unless told"`
	Own     bool   `json:"own,omitempty" jsonschema:"also look at sessions with this MCP server itself"`
}

// Diagnosis is what is wrong with a session.
type Diagnosis struct {
	Session   Session  `json:"session"`
	Chosen    string   `json:"chosen,omitempty"` // why this session, when none was asked for
	Cause     *Finding `json:"cause,omitempty"`  // what to change first
	Others    []Brief  `json:"others"`
	More      int      `json:"more,omitempty"` // findings that are left out here
	Elsewhere int      `json:"elsewhere,omitempty"`
	Trouble   string   `json:"trouble,omitempty"` // with the recording itself
	Next      []Call   `json:"next,omitempty"`
}

// Finding is a finding with what has to be known to act upon it.
type Finding struct {
	Rule         string          `json:"rule"`
	Title        string          `json:"title"`
	Severity     string          `json:"severity"`
	Confidence   string          `json:"confidence"`
	Responsible  string          `json:"responsible"`
	Message      string          `json:"message"`
	Meaning      string          `json:"meaning"`
	Cause        string          `json:"cause"`
	Fix          string          `json:"fix"`
	Remedies     []export.Remedy `json:"remedies,omitempty"` // of Fix, by side
	Recording    string          `json:"recording"`
	Session      int             `json:"session"` // from 1; 0 when it is about none
	Frames       []uint64        `json:"frames"`  // the evidence, the most important one first
	Count        int             `json:"count"`
	Spec         string          `json:"specification,omitempty"`
	ByGate       bool            `json:"by_gate,omitempty"` // made on purpose with midwire's gate
	Consequences []Brief         `json:"consequences,omitempty"`
	Evidence     []Quote         `json:"evidence,omitempty"`

	usualFix, usualCause string // of the rule: midwire's own words
}

// Brief is a finding in a line.
type Brief struct {
	Rule        string   `json:"rule"`
	Severity    string   `json:"severity"`
	Responsible string   `json:"responsible"`
	Recording   string   `json:"recording"`
	Session     int      `json:"session"`
	Frames      []uint64 `json:"frames"`
	Count       int      `json:"count"`
	Message     string   `json:"message"` // its beginning
}

// Ask implements the question.
func (q Diagnose) Ask(ctx context.Context, r *Recordings) (*Diagnosis, error) {
	p, chosen, err := q.choose(ctx, r)
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{Chosen: chosen, Others: []Brief{}}
	files := []string{p.path}
	if dir, err := r.Folder(); err == nil {
		if flow, err := record.Flow(dir, p.path); err == nil {
			files = flow
		}
	}
	checked, err := library.CheckUntil(ctx, files, rules.All())
	if err != nil {
		return nil, err
	}
	at := slices.Index(files, p.path)
	main := &checked[at]
	if p.session > len(main.Sessions) {
		return nil, fmt.Errorf("session %d: %s has %d. midwire_sessions lists them", p.session, p.id, len(main.Sessions))
	}
	if d.Session, err = sessionOf(p, main); err != nil {
		return nil, err
	}
	d.Trouble = main.Trouble
	mask, err := r.masker()
	if err != nil {
		return nil, err
	}
	all := d.rank(checked, at, p.session, chosen != "", mask)
	if len(all) > 0 {
		lead := all[0]
		d.Cause = finding(&lead)
		all = all[1:]
		d.quote(ctx, files, checked, &lead)
	}
	for i := range all {
		d.Others = append(d.Others, brief(&all[i]))
	}
	d.lead(p)
	return d, nil
}

// rank puts the findings about a session in order, the worst first.
func (d *Diagnosis) rank(
	checked []export.Checked, main, session int, anywhere bool, mask func(string) string,
) []export.Found {
	var own, other []export.Found
	for i, c := range checked {
		for _, f := range found(c, mask) {
			if i == main && session > 0 && f.Session != 0 && f.Session != session {
				other = append(other, f)
				continue
			}
			own = append(own, f)
		}
	}
	slices.SortStableFunc(own, export.Gravest)
	slices.SortStableFunc(other, export.Gravest)
	alarm := func(f export.Found) bool { return f.Level < diagnose.Note }
	if anywhere && !slices.ContainsFunc(own, alarm) {
		own, other = append(own, other...), nil
		slices.SortStableFunc(own, export.Gravest)
	}
	d.Elsewhere = len(other)
	return own
}

// found are the findings of a recording, masked: their texts will be cut.
func found(c export.Checked, mask func(string) string) []export.Found {
	all := export.Findings(c)
	for i := range all {
		all[i].Each(func(f *export.Found) { f.Rewrite(mask) })
	}
	return all
}

// choose finds the session that is meant, and says why when none was named.
func (q *Diagnose) choose(ctx context.Context, r *Recordings) (place, string, error) {
	if q.Session != "" {
		p, err := r.find(q.Session)
		return p, "", err
	}
	all, _, err := r.entries(q.Own)
	if err != nil {
		return place{}, "", err
	}
	newest, recordings := place{}, 0
	for i := range all {
		e := &all[i]
		if e.Err != nil {
			continue
		}
		recordings++
		p := placeOf(e.Path, len(e.sessions))
		if len(e.sessions) > 0 {
			p.session = e.sessions[len(e.sessions)-1].Session
		}
		if newest.path == "" {
			newest = p
		}
		n, found, err := troubled(ctx, e)
		if err != nil {
			return place{}, "", err
		}
		if found {
			p.session = n
			return p, "the newest session with trouble", nil
		}
	}
	if recordings == 0 {
		return place{}, "", errNothing
	}
	return newest, "the newest session; none of " + words.Count(recordings, "recording") + " has trouble", nil
}

// troubled finds the newest session of a recording in which something is wrong,
// 0 when it is wrong with the recording as a whole.
func troubled(ctx context.Context, e *entry) (session int, found bool, err error) {
	bad := func(f *summary.Finding) bool { return f.Severity < diagnose.Note }
	if !e.Live {
		s, err := summary.Get(ctx, e.Path)
		if err != nil {
			return 0, false, ctx.Err()
		}
		for _, one := range slices.Backward(s.Sessions) {
			v := one.Verdict()
			if one.Result.Outcome == diagnose.Failed || v != nil && bad(v) {
				return one.Index + 1, true, nil
			}
		}
		return 0, slices.ContainsFunc(s.Findings, func(f summary.Finding) bool { return bad(&f) }), nil
	}
	checked, err := library.CheckUntil(ctx, []string{e.Path}, rules.All())
	if err != nil {
		return 0, false, ctx.Err()
	}
	session = -1
	for _, f := range checked[0].Findings {
		if f.Severity < diagnose.Note {
			session = max(session, f.Session+1)
		}
	}
	for i, v := range checked[0].Verdicts {
		if v.Outcome == diagnose.Failed {
			session = max(session, i+1)
		}
	}
	return max(session, 0), session >= 0, nil
}

// sessionOf describes the session that is diagnosed, or the last one of a
// recording.
func sessionOf(p place, c *export.Checked) (Session, error) {
	reader, err := record.Open(p.path)
	if err != nil {
		return Session{}, err
	}
	defer reader.Close()
	h := reader.Header()
	all := export.List(export.Recording{
		ID: p.id, Label: h.Label, Tap: h.Tap, Started: h.Started, Live: record.IsLive(p.path),
		Trouble: c.Trouble, Verdicts: c.Verdicts,
	}, c.Sessions)
	l := all[len(all)-1]
	if p.session > 0 {
		l = all[p.session-1]
	}
	return Session{Ref: p.ref(), Listed: l}, nil
}

func finding(f *export.Found) *Finding {
	one := &Finding{
		Rule: f.Rule, Severity: f.Severity, Confidence: f.Confidence, Responsible: f.Responsible,
		Message: f.Message, Cause: f.Cause, Fix: f.Fix, Remedies: f.Remedies,
		Recording: f.Recording, Session: f.Session,
		Frames: f.Frames, Count: f.Count, Spec: f.Spec, ByGate: f.ByGate,
	}
	if r := rules.Find(f.Rule); r != nil {
		h := r.Help()
		one.Title, one.Meaning, one.usualCause, one.usualFix = r.Title, h.Means, h.Cause, h.Fix()
	}
	f.Each(func(g *export.Found) {
		if g != f {
			one.Consequences = append(one.Consequences, brief(g))
		}
	})
	return one
}

func brief(f *export.Found) Brief {
	const most = 4
	return Brief{
		Rule: f.Rule, Severity: f.Severity, Responsible: f.Responsible, Recording: f.Recording, Session: f.Session,
		Frames: f.Frames[:min(len(f.Frames), most)], Count: f.Count, Message: words.Line(f.Message, 160),
	}
}

// lead says what to ask next.
func (d *Diagnosis) lead(p place) {
	messages := map[string]any{"session": p.ref()}
	c := d.Cause
	switch {
	case c == nil:
		d.Next = []Call{{Tool: toolMessages, Arguments: messages, Why: "what was said"}}
		return
	case len(c.Frames) > 0:
		at := map[string]any{"session": c.Recording, "frame": c.Frames[0]}
		d.Next = append(d.Next, Call{Tool: toolMessage, Arguments: at, Why: "the evidence whole"})
		messages = map[string]any{"session": c.Recording, "around": c.Frames[0]}
	}
	d.Next = append(d.Next, Call{Tool: toolMessages, Arguments: messages, Why: "what stands around it"},
		Call{Tool: toolExplain, Arguments: map[string]any{"rule": c.Rule}, Why: "more about the rule"})
}

// Link implements Linked.
func (d *Diagnosis) Link() (session, what string) { return d.Session.Ref, "/report.html" }

// Shrink implements Result.
func (d *Diagnosis) Shrink() bool {
	c := d.Cause
	switch {
	case len(d.Others) > 5:
		d.More += len(d.Others) / 2
		d.Others = d.Others[:len(d.Others)-len(d.Others)/2]
	case c != nil && len(c.Consequences) > 3:
		c.Consequences = c.Consequences[:len(c.Consequences)/2]
	case c != nil && len(c.Evidence) > 1:
		c.Evidence = c.Evidence[:len(c.Evidence)-1]
	case c != nil && len(c.Message)+len(c.Cause)+len(c.Fix) > 3000:
		c.Remedies = nil
		for _, text := range []*string{&c.Message, &c.Cause, &c.Fix} {
			*text = words.Ellipsis(*text, 900)
		}
	default:
		return false
	}
	return true
}

// briefOf is a finding of a checker in a line.
func briefOf(f *diagnose.Finding, recording string, mask func(string) string) *Brief {
	const most = 4
	return &Brief{
		Rule: f.Rule.ID, Severity: f.Severity.String(), Responsible: f.Side.String(), Recording: recording,
		Session: f.Session + 1, Frames: f.Frames[:min(len(f.Frames), most)], Count: f.Count,
		Message: words.Line(mask(f.Message), 160),
	}
}
