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
	Session string `json:"session,omitempty" word:"arg" jsonschema:"which session: RECORDING.NUMBER, or RECORDING for all of it; default: the newest with trouble"`
	Own     bool   `json:"own,omitempty" word:"--own" jsonschema:"also look at sessions with midwire's own MCP server"`
}

// Account is what the session, or the recording, comes to: first what check says first.
type Account struct {
	Ref      string `json:"ref"` // of the session that it is about
	Verdict  string `json:"verdict"`
	Short    string `json:"short"` // with its sign
	Sentence string `json:"sentence" least:"300"`
}

// Diagnosis is what is wrong with a session.
type Diagnosis struct {
	Account Account  `json:"account"`
	Session Session  `json:"session"`
	Chosen  string   `json:"chosen,omitempty"` // why this session, when none was asked for
	Cause   *Finding `json:"cause,omitempty"`  // what to change first, or what was seen
	// Evidence is what was seen in the session, a line each.
	Evidence  []export.Seen `json:"evidence,omitempty" least:"4"`
	Others    []Brief       `json:"others" least:"5"`
	More      int           `json:"more,omitempty"` // findings that are left out here
	Elsewhere int           `json:"elsewhere,omitempty"`
	Trouble   string        `json:"trouble,omitempty"` // with the recording itself
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
	d.Account = r.account(p, &checked[main], checked)
	at := max(p.session-1, 0)
	if a, of := export.AccountOf(checked); p.session == 0 && of == &checked[main] {
		at = max(a.Session, 0)
	}
	d.Evidence = export.SeenOf(checked[main].Evidence[at])
	for i := range d.Evidence {
		d.Evidence[i].Text = r.mask(d.Evidence[i].Text)
	}
	var own, other []export.Found
	for _, f := range r.found(checked...) {
		if f.Recording == checked[main].ID && p.session > 0 && f.Session != 0 && f.Session != p.session {
			other = append(other, f)
		} else {
			own = append(own, f)
		}
	}
	alarm := func(f export.Found) bool { return f.Level < diagnose.Note }
	if chosen != "" && !slices.ContainsFunc(own, alarm) {
		own, other = append(own, other...), nil
	}
	d.Elsewhere = len(other)
	for i := range own {
		if f := &own[i]; i == 0 {
			d.Cause = r.finding(f)
			d.Cause.Quotes = r.quotes(ctx, files, checked, f)
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
	isCopy := func(e entry) bool { return record.HostOf(e.ID) != "" }
	if own := slices.DeleteFunc(slices.Clone(all), isCopy); len(own) > 0 {
		all = own
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

// account is that of the session, or of what is read together.
func (r *Recordings) account(p place, main *export.Checked, checked []export.Checked) Account {
	a, of := export.AccountOf(checked)
	if p.session > 0 {
		a, of = diagnose.Account{Verdict: main.Verdicts[p.session-1], Session: p.session - 1}, main
	}
	at := ref(of.ID, a.Session+1)
	if of == main && a.Session < 0 {
		at = p.ref()
	}
	return Account{at, a.Outcome.String(), r.cut(a.Sign()+" "+a.Short, 200), r.cut(a.Line, 900)}
}

// troubled finds the worst session of a recording, 0 when something worse is wrong with the
// recording as a whole.
func troubled(r *summary.Recording) (session int, found bool) {
	a := r.Account()
	return a.Session + 1, a.Harmed()
}

// sessionOf describes the session that is diagnosed, or the worst one of a
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
	at := max(diagnose.AccountOf(c.Verdicts, c.Findings).Session, 0)
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
