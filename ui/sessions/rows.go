package sessions

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/term"
)

// source is the rows of one recording, and as of when.
type source struct {
	rec   *library.Recording
	rows  []*row
	stamp stamp
}

// stamp is another one when rows of a recording may be others.
type stamp struct {
	sum             *summary.Recording
	frames, noted   int
	findings        int
	live, opened    bool
	trouble, called string
	loading         bool
}

func stampOf(r *library.Recording) stamp {
	return stamp{
		r.Summary, len(r.Frames), r.Stamp, r.Findings.Stamp, r.Live, r.Opened, r.Trouble, r.CalledName,
		r.Loads(),
	}
}

// tracked says whether what is known of a recording comes from its tracker: it
// is better than the summary once all of the recording was read.
func tracked(r *library.Recording) bool {
	return r.Loaded() && (r.Live || r.Summary == nil || !r.Loads())
}

// update brings the rows of a recording up to date. It says whether there are
// others, or only what they say is.
func (s *source) update(seq *int) (others, changed bool) {
	now := stampOf(s.rec)
	if s.rows != nil && now == s.stamp {
		return false, false
	}
	others = s.rows == nil || now.live != s.stamp.live || now.trouble != s.stamp.trouble || now.sum != s.stamp.sum
	s.stamp = now
	before := s.rows
	s.rows = nil
	switch all := s.rec.Tracker.Sessions(); {
	case tracked(s.rec) && len(all) > 0:
		for _, from := range all {
			s.take(before, from.Index, seq).count(from)
		}
	case !tracked(s.rec) && s.rec.Summary != nil && len(s.rec.Summary.Sessions) > 0:
		for i := range s.rec.Summary.Sessions {
			one := &s.rec.Summary.Sessions[i]
			r := s.take(before, one.Index, seq)
			r.sum, r.counted = one, counted{}
		}
	default:
		s.take(before, library.AllSessions, seq).sum = nil
	}
	s.name()
	others = others || len(before) != len(s.rows) || len(before) > 0 && before[0] != s.rows[0]
	return others, true
}

// take is the row of a session, the one that was there before if there is one.
func (s *source) take(before []*row, sess int, seq *int) *row {
	n := len(s.rows)
	if n < len(before) && before[n].sess == sess {
		s.rows = append(s.rows, before[n])
		return before[n]
	}
	if i := slices.IndexFunc(before, func(r *row) bool { return r.sess == sess }); i >= 0 {
		s.rows = append(s.rows, before[i])
		return before[i]
	}
	*seq++
	r := &row{rec: s.rec, sess: sess, seq: *seq}
	s.rows = append(s.rows, r)
	return r
}

func (s *source) name() {
	clients := make([]string, len(s.rows))
	for i, r := range s.rows {
		if r.sum != nil {
			clients[i] = r.sum.Client.Name
			if clients[i] == "" {
				clients[i] = r.sum.Client.Title
			}
		}
	}
	for i, name := range library.Numbered(clients) {
		s.rows[i].name = name
	}
}

// many is how many rows a session has that is not counted anew with each of them.
const many = 4096

// count brings up to date what is known of a session that was read. One that
// has many rows waits until there are some more, unless all of them are there.
func (r *row) count(from *session.Session) {
	now := counted{
		len(from.Rows()), from.Messages, from.Errors, from.Pending,
		r.rec.Findings.BySession[from.Index], from.Last, from.State,
	}
	if r.sum != nil && r.counted == now {
		return
	}
	if old := r.counted.rows; r.sum != nil && old > many && r.rec.Live && now.rows < old+old/16 {
		r.sum.Started, r.sum.Last, r.sum.State = from.Started, from.Last, from.State
		r.sum.Messages, r.sum.Errors, r.sum.Pending = from.Messages, from.Errors, from.Pending
		return
	}
	r.counted = now
	one := summary.Of(r.rec.Tracker, from, func(i int) string {
		return query.ToolOf(r.rec, r.rec.Tracker.Row(i), i)
	})
	one.Findings = foundIn(r.rec, from.Index)
	one.Rows = lastRows(r.rec, from)
	r.sum = &one
}

// foundIn is what was found in a session, the worst first.
func foundIn(rec *library.Recording, sess int) (out []summary.Finding) {
	if rec.Findings.BySession[sess] == (library.Tally{}) {
		return nil
	}
	for _, f := range rec.Findings.All {
		if f.Session != sess {
			continue
		}
		i := slices.IndexFunc(out, func(g summary.Finding) bool { return g.Rule == f.Rule.ID })
		if i < 0 {
			i = len(out)
			out = append(out, summary.Finding{Rule: f.Rule.ID, Title: f.Rule.Title, Severity: f.Severity, Side: f.Side})
			if len(f.Frames) > 0 {
				out[i].Frame = f.Frames[0]
			}
		}
		out[i].Times += f.Count
		out[i].Severity = min(out[i].Severity, f.Severity)
	}
	slices.SortStableFunc(out, func(a, b summary.Finding) int { return int(a.Severity) - int(b.Severity) })
	return out
}

// previewed is how many rows a preview shows at most.
const previewed = 6

func lastRows(rec *library.Recording, s *session.Session) (out []summary.Row) {
	all := s.Rows()
	for _, i := range all[max(0, len(all)-previewed):] {
		from, texts := rec.Tracker.Row(int(i)), rec.Texts.Of(int(i))
		out = append(out, summary.Row{
			Frame: from.Request, T: from.T, Kind: from.Kind, Dir: from.Dir, Verdict: from.Verdict,
			Method: rec.Tracker.Name(from.Name), Target: texts.Target, Result: texts.Result, Latency: from.Latency(),
		})
	}
	return out
}

// short are the phrases for rules whose id says less than it could.
var short = map[string]safe.Text{
	"client-timeout":          "client timed out",
	"handshake-skipped":       "no initialize",
	"session-id-not-echoed":   "id not sent back",
	"session-replicas":        "replicas disagree",
	"tool-definition-invalid": "bad tool schema",
}

// phrase is a finding in the words that fit: its title, or a short phrase.
func phrase(f *summary.Finding, room int) safe.Text {
	title := safe.Line(f.Title)
	if term.Width(title) <= room {
		return title
	}
	if text, ok := short[f.Rule]; ok {
		return text
	}
	return safe.Line(strings.ReplaceAll(f.Rule, "-", " "))
}
