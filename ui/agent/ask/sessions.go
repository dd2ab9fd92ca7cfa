package ask

import (
	"context"
	"slices"
	"time"

	"midwire/session/diagnose"
	"midwire/session/export"
	"midwire/session/words"
)

// Sessions asks which sessions there are, newest first.
type Sessions struct {
	Live   bool   `json:"live,omitempty" jsonschema:"only of proxies that run now"`
	Client string `json:"client,omitempty" jsonschema:"only where the client's name holds this"`
	Server string `json:"server,omitempty" jsonschema:"only where the server's name or the recording's label holds this"`
	Since  string `json:"since,omitempty" jsonschema:"only as old as this: 10m, 2h, or a time like 2026-11-21T10:15:00Z"`
	Own    bool   `json:"own,omitempty" jsonschema:"also sessions with this MCP server itself"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many, default 20, at most 50"`
	Cursor string `json:"cursor,omitempty" jsonschema:"from next of the page before"`
}

// Session is a session in a list: what `midwire ls --json` says of it, and its
// reference.
type Session struct {
	Ref string `json:"ref"` // names the session in every question
	export.Listed
}

// SessionPage is a page of sessions.
type SessionPage struct {
	Sessions []Session `json:"sessions" least:"1"`
	Total    int       `json:"total"` // that match
	Own      int       `json:"own_left_out,omitempty"`
	Leads

	ask  Sessions
	from int
}

// Ask implements Question.
func (q Sessions) Ask(_ context.Context, r *Recordings) (*SessionPage, error) {
	since, err := moment(q.Since)
	if err != nil {
		return nil, err
	}
	entries, left, err := r.entries(q.Own)
	if err != nil {
		return nil, err
	}
	all := []Session{}
	for _, e := range entries {
		for _, l := range slices.Backward(e.sessions) {
			if q.wants(&l, since) {
				all = append(all, Session{Ref: ref(l.Recording, l.Session), Listed: l})
			}
		}
	}
	from, to, err := window(len(all), q.Cursor, q.Limit, 20, 50)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 && left == 0 {
		return nil, errNothing
	}
	p := &SessionPage{Sessions: all[from:to], Total: len(all), Own: left, ask: q, from: from}
	return p, nil
}

func (q *Sessions) wants(l *export.Listed, since time.Time) bool {
	return (!q.Live || l.Live) && !l.Started.Before(since) && words.Contains(l.Client, q.Client) &&
		(words.Contains(l.Server, q.Server) || words.Contains(l.Label, q.Server))
}

func (p *SessionPage) lead() {
	p.restart(toolSessions, p.ask, p.from+len(p.Sessions), p.Total)
	if len(p.Sessions) > 0 {
		bad := slices.IndexFunc(p.Sessions, func(s Session) bool { return s.Verdict == diagnose.Failed.String() })
		p.add(toolDiagnose, "", map[string]any{"session": p.Sessions[max(bad, 0)].Ref})
	}
}
