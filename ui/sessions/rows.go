package sessions

import (
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/library/summary"
	"midwire/ui/library"
	"midwire/ui/query"
)

type source struct {
	rec   *library.Recording
	rows  []*row
	stamp stamp
	// counts says that not all of its rows are counted.
	counts bool
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

// update brings the rows of a recording up to date, and counts as many rows of
// messages as there is room for. It says whether there are others, or only what
// they say is.
func (s *source) update(seq, room *int) (others, changed bool) {
	now := stampOf(s.rec)
	if s.rows != nil && now == s.stamp && !s.counts {
		return false, false
	}
	others = s.rows == nil || now.live != s.stamp.live || now.trouble != s.stamp.trouble || now.sum != s.stamp.sum
	s.stamp = now
	before, ids := s.rows, s.ids()
	s.rows, s.counts = nil, false
	switch all := s.rec.Tracker.Sessions(); {
	case tracked(s.rec) && len(all) > 0:
		for _, from := range all {
			used, done := s.take(before, from.Index, seq).count(from, *room)
			*room -= used
			s.counts = s.counts || !done
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
	others = others || ids != s.ids() || len(before) != len(s.rows) || len(before) > 0 && before[0] != s.rows[0]
	return others, true
}

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

// countAtOnce is how many rows are counted before the keys get a turn, and pause
// the time between two such turns.
const (
	countAtOnce = 8192
	pause       = 50 * time.Millisecond
)

// count brings up to date what is known of a session that was read, by counting at
// most so many rows. It returns how many it counted, and is done when there is
// nothing more to count.
func (r *row) count(from *session.Session, room int) (used int, done bool) {
	now := counted{
		len(from.Rows()), from.Messages, from.Errors, from.Pending,
		r.rec.Findings.BySession[from.Index], r.rec.Findings.Finished, from.Last, from.State,
	}
	if r.sum != nil && r.counter == nil && r.counted == now {
		return 0, true
	}
	if r.counter == nil {
		r.counting = now
		r.counter = summary.Count(r.rec.Tracker, from, func(i int) string {
			return query.ToolOf(r.rec, r.rec.Tracker.Row(i), i)
		})
	}
	used, done = r.counter.Step(room)
	var one summary.Session
	switch {
	case done:
		one, r.counted, r.counter = r.counter.Session(), r.counting, nil
		done = r.counted == now
	case r.sum == nil:
		one = r.counter.Session()
	default: // what the tracker counts by itself
		one = *r.sum
		one.Started, one.Last, one.State = from.Started, from.Last, from.State
		one.Messages, one.Errors, one.Pending = from.Messages, from.Errors, from.Pending
	}
	verdict := r.rec.VerdictOf(from.Index)
	one.Findings, one.Rows = nil, lastRows(r.rec, from)
	if r.rec.Findings.BySession[from.Index] != (library.Tally{}) {
		one.Findings = summary.Found(r.rec.Findings.All, from.Index, verdict.Cause)
	}
	r.sum = &one
	one.Judge(verdict, from, r.live())
	return used, done
}

// previewed is how many rows a preview shows at most.
const previewed = 6

func lastRows(rec *library.Recording, s *session.Session) (out []summary.Row) {
	all := s.Rows()
	for _, i := range all[max(0, len(all)-previewed):] {
		row, texts := rec.Tracker.Row(int(i)), rec.Texts.Of(int(i))
		out = append(out, summary.RowOf(row, rec.Tracker.Name(row.Name), texts.Target, texts.Result))
	}
	return out
}

// legs finds for rows of a hub's servers that the filter keeps the row of their
// client's session, among those that it keeps.
func (v *View) legs() map[*row]*row {
	type key struct{ flow, session string }
	var legs []*row
	for _, r := range v.kept {
		if r.rec.Side == "server" && r.rec.Flow != "" {
			legs = append(legs, r)
		}
	}
	if legs == nil {
		return nil
	}
	clients, all := map[key]*row{}, map[string][]*row{} // by session, by flow
	for _, s := range v.sources {
		if s.rec.Side != "client" {
			continue
		}
		for _, r := range s.rows {
			all[s.rec.Flow] = append(all[s.rec.Flow], r)
			clients[key{s.rec.Flow, r.id()}] = r
		}
	}
	kept := make(map[*row]bool, len(v.kept))
	for _, r := range v.kept {
		kept[r] = true
	}
	of := map[*row]*row{}
	for _, r := range legs {
		flow, session := r.rec.Flow, r.rec.ClientSession
		p := clients[key{flow, session}]
		if only := all[flow]; session == "" {
			p = nil
			if len(only) == 1 {
				p = only[0]
			}
		} else if p == nil && len(only) == 1 && only[0].id() == "" { // it was not read yet
			p = only[0]
		}
		if kept[p] {
			of[r] = p
		}
	}
	return of
}

// nested puts rows below those that they belong to, where these are among them.
func nested(rows []*row, of map[*row]*row) []*row {
	for _, r := range rows {
		r.nested = false
	}
	if len(of) == 0 {
		return rows
	}
	below := map[*row][]*row{}
	for _, r := range rows {
		below[r] = []*row{}
	}
	for _, r := range rows {
		if p := of[r]; below[p] != nil {
			if k := len(below[p]) - 1; k >= 0 {
				below[p][k].lastLeg = false
			}
			r.nested, r.lastLeg, below[p] = true, true, append(below[p], r)
		}
	}
	out := make([]*row, 0, len(rows))
	for _, r := range rows {
		if !r.nested {
			out = append(append(out, r), below[r]...)
		}
	}
	return out
}

// id is that of the session on the wire, "" for none.
func (r *row) id() string {
	if r.sum == nil {
		return ""
	}
	return r.sum.ID
}

// ids are those of the sessions of a hub's clients: rows stand elsewhere when one
// becomes known.
func (s *source) ids() string {
	if s.rec.Side != "client" {
		return ""
	}
	var all strings.Builder
	for _, r := range s.rows {
		all.WriteString(r.id() + "\n")
	}
	return all.String()
}
