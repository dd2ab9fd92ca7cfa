package ask

import (
	"context"
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
	Session string `json:"session,omitempty" word:"arg" jsonschema:"which session: RECORDING.NUMBER, or RECORDING for all of it; the newest with trouble unless told"`
	Own     bool   `json:"own,omitempty" word:"--own" jsonschema:"also look at sessions with midwire's own MCP server"`
}

// Diagnosis is what is wrong with a session.
type Diagnosis struct {
	Session   Session  `json:"session"`
	Chosen    string   `json:"chosen,omitempty"` // why this session, when none was asked for
	Cause     *Finding `json:"cause,omitempty"`  // what to change first
	Others    []Brief  `json:"others" least:"5"`
	More      int      `json:"more,omitempty"` // findings that are left out here
	Elsewhere int      `json:"elsewhere,omitempty"`
	Trouble   string   `json:"trouble,omitempty"` // with the recording itself
	Leads

	all int // findings beside the cause
}

// Ask implements Question.
func (q Diagnose) Ask(ctx context.Context, r *Recordings) (*Diagnosis, error) {
	p, chosen, err := q.choose(ctx, r)
	if err != nil {
		return nil, err
	}
	files := []string{p.path}
	if dir, err := r.Folder(); err == nil {
		if flow, err := record.Flow(dir, p.path); err == nil {
			files = flow
		}
	}
	checked, err := library.CheckUntil(ctx, files, rules.All(), nil)
	if err != nil {
		return nil, err
	}
	main := slices.Index(files, p.path)
	d := &Diagnosis{Chosen: chosen, Others: []Brief{}, Trouble: checked[main].Trouble}
	if d.Session, err = sessionOf(p, &checked[main]); err != nil {
		return nil, err
	}
	var own, other []export.Found
	for i, c := range checked {
		for _, f := range r.found(c) {
			if i == main && p.session > 0 && f.Session != 0 && f.Session != p.session {
				other = append(other, f)
			} else {
				own = append(own, f)
			}
		}
	}
	alarm := func(f export.Found) bool { return f.Level < diagnose.Note }
	if chosen != "" && !slices.ContainsFunc(own, alarm) {
		own, other = append(own, other...), nil
	}
	d.Elsewhere = len(other)
	slices.SortStableFunc(own, export.Gravest)
	for i := range own {
		if f := &own[i]; i == 0 {
			d.Cause = r.finding(f)
			d.Cause.Evidence = r.quotes(ctx, files, checked, f)
		} else {
			d.Others = append(d.Others, r.brief(f))
		}
	}
	d.all = len(d.Others)
	return d, nil
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
	for _, e := range all {
		if e.Err != nil {
			continue
		}
		p := placeOf(e.Path, len(e.sessions))
		if len(e.sessions) > 0 {
			p.session = e.sessions[len(e.sessions)-1].Session
		}
		if recordings++; recordings == 1 {
			newest = p
		}
		s, err := summary.Get(ctx, e.Path)
		if ctx.Err() != nil {
			return place{}, "", ctx.Err()
		}
		if err != nil {
			continue
		}
		if n, found := troubled(s); found {
			p.session = n
			return p, "the newest session with trouble", nil
		}
	}
	if recordings == 0 {
		return place{}, "", errNothing
	}
	return newest, "the newest session; none of " + words.Count(recordings, "recording") + " has trouble", nil
}

// troubled finds the session of a recording in which the gravest thing is wrong, the newest
// of equal ones, 0 when it is wrong with the recording as a whole.
func troubled(r *summary.Recording) (session int, found bool) {
	worst := func(of []summary.Finding) diagnose.Severity {
		grave := diagnose.Note
		for _, f := range of {
			grave = min(grave, f.Severity)
		}
		return grave
	}
	gravest := diagnose.Note
	for _, s := range slices.Backward(r.Sessions) {
		grave := worst(s.Findings)
		if s.Result.Outcome == diagnose.Failed {
			grave = diagnose.Error
		}
		if grave < gravest {
			session, gravest = s.Index+1, grave
		}
	}
	return session, session > 0 || worst(r.Findings) < diagnose.Note
}

// sessionOf describes the session that is diagnosed, or the last one of a
// recording.
func sessionOf(p place, c *export.Checked) (Session, error) {
	if p.session > len(c.Sessions) {
		return Session{}, p.noSession(len(c.Sessions))
	}
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
	at := len(all) - 1
	if p.session > 0 {
		at = p.session - 1
	}
	return Session{Ref: p.ref(), Listed: all[at]}, nil
}

func (d *Diagnosis) lead() {
	d.More, d.Next = d.all-len(d.Others), nil
	around := map[string]any{"session": d.Session.Ref}
	c := d.Cause
	if c == nil {
		d.add(toolMessages, "what was said", around)
		return
	}
	if len(c.Frames) > 0 {
		d.add(toolMessage, "the evidence whole", map[string]any{"session": c.Recording, "frame": c.Frames[0]})
		around = map[string]any{"session": c.Recording, "around": c.Frames[0]}
	}
	d.add(toolMessages, "what stands around it", around)
	d.add(toolExplain, "more about the rule", map[string]any{"rule": c.Rule})
}

// Link implements Linked.
func (d *Diagnosis) Link() (session, what string) { return d.Session.Ref, "/report.html" }
