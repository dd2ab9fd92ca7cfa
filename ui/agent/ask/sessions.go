package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/export"
	"midwire/session/library/summary"
	"midwire/session/words"
)

// Sessions asks which sessions there are, newest first.
type Sessions struct {
	Live   bool   `json:"live,omitempty" jsonschema:"only of proxies that run now"`
	Client string `json:"client,omitempty" jsonschema:"only where the client's name holds this"`
	Server string `json:"server,omitempty" jsonschema:"only where the server's name or the recording's label holds this"`
	Since  string `json:"since,omitempty" jsonschema:"only as old as this: 10m, 2h, or a time like 2026-11-21T10:15:00Z"`
	Own    bool   `json:"own,omitempty" jsonschema:"also sessions with this MCP server itself"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many, 20 unless told, at most 50"`
	Cursor string `json:"cursor,omitempty" jsonschema:"from next of the page before"`
}

// Session is a session in a list: what `midwire ls --json` says of it, and its
// reference.
type Session struct {
	Ref string `json:"ref"` // names the session in every question
	export.Listed
	Worst string `json:"worst_finding,omitempty"` // rule of the worst, of a recording that has ended
}

// SessionPage is a page of sessions.
type SessionPage struct {
	Sessions []Session `json:"sessions"`
	Total    int       `json:"total"` // that match
	Own      int       `json:"own_left_out,omitempty"`
	Next     []Call    `json:"next,omitempty"`

	ask  Sessions
	from int
}

// Ask implements the question.
func (q Sessions) Ask(_ context.Context, r *Recordings) (*SessionPage, error) {
	since, err := moment(q.Since)
	if err != nil {
		return nil, err
	}
	from, err := offset(q.Cursor)
	if err != nil {
		return nil, err
	}
	all, left, err := r.entries(q.Own)
	if err != nil {
		return nil, err
	}
	p := &SessionPage{Sessions: []Session{}, Own: left, ask: q, from: from}
	limit := min(max(cmp.Or(q.Limit, 20), 1), 50)
	for at := range all {
		e := &all[at]
		for i := range e.sessions {
			l := e.sessions[len(e.sessions)-1-i]
			if !q.wants(&l, since) {
				continue
			}
			if p.Total++; p.Total > from && len(p.Sessions) < limit {
				p.Sessions = append(p.Sessions, Session{ref(l.Recording, l.Session), l, e.worst(l.Session)})
			}
		}
	}
	if len(all) == 0 && left == 0 {
		return nil, errNothing
	}
	p.lead()
	return p, nil
}

func (q *Sessions) wants(l *export.Listed, since time.Time) bool {
	return (!q.Live || l.Live) && !l.Started.Before(since) && words.Contains(l.Client, q.Client) &&
		(words.Contains(l.Server, q.Server) || words.Contains(l.Label, q.Server))
}

// worst is the rule of the worst that was found in a session from 1, "" for
// nothing, and for what goes on.
func (e *entry) worst(session int) string {
	if e.summary == nil && !e.Live {
		e.summary, _ = summary.Read(e.Path)
	}
	if e.summary == nil {
		return ""
	}
	for i := range e.summary.Sessions {
		if s := &e.summary.Sessions[i]; s.Index+1 == session && s.Verdict() != nil {
			return s.Verdict().Rule
		}
	}
	return ""
}

// lead says what to ask next.
func (p *SessionPage) lead() {
	p.Next = nil
	if n := p.from + len(p.Sessions); n < p.Total {
		args := arguments(p.ask)
		args["cursor"] = fmt.Sprint(n)
		p.Next = append(p.Next, Call{Tool: toolSessions, Arguments: args, Why: fmt.Sprintf("%d more", p.Total-n)})
	}
	if len(p.Sessions) > 0 {
		bad := slices.IndexFunc(p.Sessions, func(s Session) bool { return s.Verdict == diagnose.Failed.String() })
		args := map[string]any{"session": p.Sessions[max(bad, 0)].Ref}
		p.Next = append(p.Next, Call{Tool: toolDiagnose, Arguments: args})
	}
}

// Shrink implements Result.
func (p *SessionPage) Shrink() bool {
	n := len(p.Sessions)
	if n < 2 {
		return false
	}
	p.Sessions = p.Sessions[:n-1-n/8]
	p.lead()
	return true
}

// Markdown implements Result.
func (p *SessionPage) Markdown(shell bool) string {
	b := page{shell: shell}
	b.line(fmt.Sprintf("%d of %d sessions, newest first.", len(p.Sessions), p.Total))
	if p.Own > 0 {
		b.line(fmt.Sprintf("%d recordings of this MCP server itself are left out; own: true lists them.", p.Own))
	}
	if len(p.Sessions) > 0 {
		b.line(data)
		var rows strings.Builder
		for i := range p.Sessions {
			rows.WriteString(p.Sessions[i].line() + "\n")
		}
		b.fence(rows.String())
	}
	b.calls(p.Next)
	return b.String()
}

// line is a session in a line. Its parts hold bytes from the wire.
func (s *Session) line() string {
	state := s.State
	if s.Live {
		state += ", live"
	}
	parts := []string{
		s.Ref, s.Started.UTC().Format("2006-01-02 15:04:05Z"), cmp.Or(s.Client, "?") + " ↔ " + cmp.Or(s.Server, s.Label, "?"),
		s.Transport + " " + cmp.Or(s.ProtocolVersion, "version unknown"), state,
		fmt.Sprintf("%d messages, %d calls, %d errors, %d pending", s.Messages, s.Calls, s.Errors, s.Pending),
	}
	if s.Worst != "" && s.Verdict != diagnose.Failed.String() { // of that, Why has it
		parts = append(parts, "worst finding "+s.Worst)
	}
	for _, more := range []string{s.Name, s.Why, s.Trouble} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return words.Line(strings.Join(parts, " · "), 400)
}
