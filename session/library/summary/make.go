package summary

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/library/noted"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

const reading = "the reading of a recording" // of a defect

// Make reads a recording once, as far as it goes by now. What stays in memory
// while it does is what the tracker and the rules remember.
func Make(ctx context.Context, path string) (*Recording, error) {
	return makeWith(ctx, path, rules.All())
}

func makeWith(ctx context.Context, path string, ask []*diagnose.Rule) (_ *Recording, err error) {
	defer defect.Fails(reading, &err)
	of, err := identify(path) // what is written from here on makes the summary stale
	if err != nil {
		return nil, err
	}
	r, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m := &maker{reader: r, numbers: map[string]uint32{}}
	m.tracker, m.checker = diagnose.New(session.Options{Tap: r.Header().Tap}, ask)
	if err := m.read(ctx); err != nil {
		return nil, err
	}
	m.checker.Finish()
	noted.Tell(m.checker, path)
	s := &Recording{Format: Format, Of: of, Maker: fingerprint(ask), Frames: r.Count(), Torn: r.Torn()}
	_, s.Unreadable = r.Bad()
	s.Replays = replayed(r.Header().Label)
	s.Tries = s.Replays != "" || strings.HasPrefix(r.Header().Label, "probe of ") || strings.HasPrefix(r.Header().Label, "minimize of ")
	m.fill(s)
	return s, ctx.Err()
}

// replayed is what the label of a replay says: "replay of ID: TARGET".
func replayed(label string) string {
	rest, ok := strings.CutPrefix(label, "replay of ")
	id, _, ok2 := strings.Cut(rest, ": ")
	if !ok || !ok2 {
		return ""
	}
	return text(id)
}

// maker reads one recording.
type maker struct {
	reader  *record.Reader
	tracker *session.Tracker
	checker *diagnose.Checker
	tools   []string          // names of tools that were called
	numbers map[string]uint32 // of their names, from 1
	called  []uint32          // by row: the number of the tool, 0 for none
}

// maxNames bounds the distinct tool names of one recording.
const maxNames = 4096

func (m *maker) read(ctx context.Context) error {
	var f wire.Frame
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch err := m.reader.Next(&f); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		step := m.tracker.Apply(&f)
		for i := step.First; i >= 0 && i < step.First+step.Added; i++ {
			m.note(i)
		}
	}
}

// note remembers which tool a new row calls: rows do not.
func (m *maker) note(row int) {
	number := uint32(0)
	if c := m.checker.Pending(row); c != nil && c.Method == mcp.ToolsCall && c.Dir == wire.ToServer {
		number = m.numbers[c.Target]
		if number == 0 && len(m.tools) < maxNames {
			m.tools = append(m.tools, c.Target)
			number = uint32(len(m.tools))
			m.numbers[c.Target] = number
		}
	}
	m.called = append(m.called, number)
}

// tool is the tool that a row calls, "" for none.
func (m *maker) tool(row int) string {
	if n := m.called[row]; n > 0 {
		return m.tools[n-1]
	}
	return ""
}

// fill describes the newest sessions, as long as there is room for them.
func (m *maker) fill(s *Recording) {
	roots := m.checker.Findings()
	s.Findings = Found(roots, -1, nil)
	all := m.tracker.Sessions()
	s.Total, s.Sessions = len(all), Sessions{}
	newest := all[max(0, len(all)-MaxSessions):]
	room := newRoom()
	for _, from := range slices.Backward(newest) {
		one := Summarize(m.tracker, from, m.tool)
		s.Cut = identity(&one, from) || s.Cut
		v := m.checker.Verdict(from, roots)
		one.Judge(v, from, false)
		one.show(v.Card(m.checker.Evidence(from)))
		one.Findings = Found(roots, from.Index, v.Cause)
		if !room.take(&one, func() { m.rows(&one, from) }) {
			break
		}
		s.Sessions = append(s.Sessions, one)
	}
	slices.Reverse(s.Sessions)
	s.Cut = s.Cut || len(s.Sessions) < s.Total
}

// Compare takes what a check of all recordings of a flow, which with stands for, came to:
// all sessions of this one, with their verdicts, and what was found.
func (s *Recording) Compare(
	with string, all []*session.Session, verdicts []diagnose.Verdict, roots []*diagnose.Finding,
) {
	s.Compared = with
	s.Findings = Found(roots, -1, nil)
	for i := range s.Sessions {
		one := &s.Sessions[i]
		one.Judge(verdicts[one.Index], all[one.Index], false)
		one.show(verdicts[one.Index].Card(one.Card))
		one.Findings = Found(roots, one.Index, verdicts[one.Index].Cause)
	}
}

// identity writes the texts by which a session is known, and reports whether some
// of them had to be changed.
func identity(s *Session, from *session.Session) (changed bool) {
	version := string(from.ProtocolVersion)
	for _, t := range []struct {
		to   *string
		from string
	}{
		{&s.ID, from.ID},
		{&version, version},
		{&s.Client.Name, from.Client.Name},
		{&s.Client.Title, from.Client.Title},
		{&s.Client.Version, from.Client.Version},
		{&s.Server.Name, from.Server.Name},
		{&s.Server.Title, from.Server.Title},
		{&s.Server.Version, from.Server.Version},
	} {
		*t.to = text(t.from)
		changed = changed || *t.to != t.from
	}
	s.ProtocolVersion = mcp.Version(version)
	return changed
}

// Found is what was found in a session in short: one of each rule, what is why it failed
// first, then the worst. Those that are equally bad stay in the order in which they showed.
func Found(all []*diagnose.Finding, session int, cause *diagnose.Finding) (list []Finding) {
	for _, f := range all {
		if f.Session == session {
			list = enter(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		switch {
		case cause != nil && a.Rule != b.Rule && a.Rule == cause.Rule.ID:
			return -1
		case cause != nil && a.Rule != b.Rule && b.Rule == cause.Rule.ID:
			return 1
		}
		return cmp.Compare(a.Severity, b.Severity)
	})
	return list[:min(len(list), maxFindings)]
}

// enter adds a finding to those of its session: one of each rule.
func enter(list []Finding, f *diagnose.Finding) []Finding {
	i := slices.IndexFunc(list, func(g Finding) bool { return g.Rule == f.Rule.ID })
	if i < 0 {
		i = len(list)
		list = append(list, Finding{Rule: f.Rule.ID, Title: text(f.Rule.Title), Severity: f.Severity, Side: f.Side})
		if len(f.Frames) > 0 {
			list[i].Frame = f.Frames[0]
		}
	}
	if list[i].Times += f.Count; f.Severity < list[i].Severity {
		list[i].Severity, list[i].Side = f.Severity, f.Side
	}
	return list
}
