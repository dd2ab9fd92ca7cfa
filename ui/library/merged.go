package library

import (
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/session/wire"
)

// merged is what a recording has besides that is several in one: its frames are
// those of all its parts, in order of time. What needs a real recording asks
// Origin, which knows no difference.
type merged struct {
	AllLive  bool // proxies that start later join
	parts    []*Recording
	trackers []*session.Tracker  // by part; the number of a tracker is that of its part
	checkers []*diagnose.Checker // by part
	finished []bool              // by part: its checker knows that nothing more will come
	read     []int               // by part: its frames that are here
	numbers  []uint32            // by frame: its number in its part
}

// NewMerged is several recordings in one, of which nothing was read yet.
func NewMerged(id string, parts []*Recording, rules []*diagnose.Rule, muted map[string]bool) *Recording {
	r := New(wire.Recording{ID: id, Started: parts[0].Started}, rules, muted)
	r.Opened, r.Mask = true, parts[0].Mask
	r.Join(parts)
	return r
}

// Merges are the recordings that are several in one, as they were asked for.
type Merges []*Recording

// Of returns the one that is made of the recordings with these ids, a new one if
// need be; nil when there are not two of them.
func (m *Merges) Of(
	ids []string, byID map[string]*Recording, rules []*diagnose.Rule, muted map[string]bool,
) *Recording {
	var parts []*Recording
	for _, id := range ids {
		if r := byID[id]; r != nil && !r.Merges() {
			parts = append(parts, r)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	i := slices.IndexFunc(*m, func(r *Recording) bool { return slices.Equal(r.parts, parts) })
	if i < 0 {
		i = len(*m)
		*m = append(*m, NewMerged("merged/"+strconv.Itoa(i+1), parts, rules, muted))
	}
	return (*m)[i]
}

// Covering are those that a recording is a part of.
func (m Merges) Covering(r *Recording) []*Recording {
	return slices.DeleteFunc(slices.Clone(m), func(one *Recording) bool { return !one.Covers(r) })
}

// JoinLive adds those that live to those that are of all that live, and returns
// what has new parts.
func (m Merges) JoinLive(live []*Recording) (changed []*Recording) {
	for _, r := range m {
		if r.AllLive && r.Join(live) {
			changed = append(changed, r)
		}
	}
	return changed
}

// Join adds parts, but for those that are there already, and says whether there
// were others.
func (r *Recording) Join(parts []*Recording) bool {
	before := len(r.parts)
	for _, p := range parts {
		if slices.Contains(r.parts, p) {
			continue
		}
		var t *session.Tracker
		var c *diagnose.Checker
		if len(r.parts) == 0 {
			r.begin()
			r.Findings.checker.Join()
			t, c = r.Tracker, r.Findings.checker
		} else {
			t, c = r.Findings.checker.Beside(session.Options{Tap: p.Tap})
		}
		r.trackers, r.checkers = append(r.trackers, t), append(r.checkers, c)
		r.parts, r.finished, r.read = append(r.parts, p), append(r.finished, false), append(r.read, 0)
		r.Live = r.Live || p.Live
	}
	r.AtEnd = r.AtEnd && !r.Live
	return len(r.parts) > before
}

// Parts are the recordings that r is made of: itself, unless it is several in
// one. The slice belongs to r.
func (r *Recording) Parts() []*Recording {
	if r.parts == nil {
		return []*Recording{r}
	}
	return r.parts
}

// Covers says whether what is said of another recording shows in r, which may be
// nil: it is r, or a part of it.
func (r *Recording) Covers(o *Recording) bool {
	return r != nil && (r == o || slices.Contains(r.parts, o))
}

// Merges says whether r is several recordings in one.
func (r *Recording) Merges() bool { return r.parts != nil }

// Origin is the recording that frame n is really in, and its number there.
func (r *Recording) Origin(n uint64) (*Recording, uint64) {
	if i := r.frameAt(n); r.parts != nil && i >= 0 {
		return r.parts[r.Frames[i].Part], uint64(r.numbers[i])
	}
	return r, n
}

// SessionOrigin is the recording that a session is really in, and its index
// there. All sessions together are in none of several recordings: nil.
func (r *Recording) SessionOrigin(i int) (*Recording, int) {
	s := r.Session(i)
	switch {
	case r.parts == nil:
		return r, i
	case s == nil:
		return nil, i
	}
	before := 0
	for _, other := range r.Tracker.Sessions()[:i] {
		if other.Tap == s.Tap {
			before++
		}
	}
	return r.parts[s.Tap], before
}

// SessionsOf is how many sessions one of the parts has.
func (r *Recording) SessionsOf(part *Recording) (n int) {
	if r.parts == nil {
		return r.SessionCount()
	}
	for _, s := range r.Tracker.Sessions() {
		if r.parts == nil || r.parts[s.Tap] == part {
			n++
		}
	}
	return n
}

// Take takes in a frame that was delivered for r.
func (r *Recording) Take(f *wire.Tagged) session.Step {
	if r.parts == nil {
		return r.Apply(&f.Frame)
	}
	i := slices.IndexFunc(r.parts, func(p *Recording) bool { return p.ID == f.Part })
	if i < 0 || f.Frame.N != uint64(len(r.Frames)+1) {
		return session.Step{Session: -1, First: -1} // nobody asked for it
	}
	r.numbers = append(r.numbers, uint32(f.PartN))
	r.read[i]++
	return r.apply(i, &f.Frame)
}

// FinishFindings tells the checker that a recording was read to its end.
func (r *Recording) FinishFindings() {
	x := &r.Findings
	for i, p := range r.parts {
		done := !p.Live && r.Loading >= 1 && (!p.Loaded() || r.read[i] >= len(p.Frames))
		if done && !r.finished[i] {
			r.finished[i] = true
			r.checkers[i].Finish()
		}
	}
	if r.parts != nil || x.checker == nil || x.Finished || r.Live || !r.AtEnd && r.Loading < 1 {
		return
	}
	x.Finished = true
	x.checker.Finish()
}

// NoteAt is where a note about a row is kept: the recording, and the key there.
func (r *Recording) NoteAt(kind notes.Kind, i int) (*Recording, notes.Key) {
	k := notes.RowKey(kind, r.Tracker.Row(i))
	of, n := r.Origin(k.Frame)
	k.Frame = n
	return of, k
}

// NameAt is where the name of a session is kept; false when it has no message.
func (r *Recording) NameAt(s *session.Session) (*Recording, notes.Key, bool) {
	if len(s.Rows()) == 0 {
		return nil, notes.Key{}, false
	}
	of, k := r.NoteAt(notes.Session, int(s.Rows()[0]))
	return of, k, true
}

// HasNotes says whether there are notes of a kind.
func (r *Recording) HasNotes(kind notes.Kind) bool {
	return slices.ContainsFunc(r.Parts(), func(p *Recording) bool { return p.Notes.Count(kind) > 0 })
}

// NotesStamp changes when notes do that are shown with r.
func (r *Recording) NotesStamp() (stamp int) {
	for _, p := range r.Parts() {
		stamp += p.Stamp
	}
	return stamp
}

// mergedName says how many recordings r is made of, and how many of them live.
func (r *Recording) mergedName() safe.Text {
	live := len(Live(r.parts))
	n := safe.Int(len(r.parts))
	switch live {
	case len(r.parts):
		return n + " live proxies"
	case 0:
		return n + " recordings"
	}
	return n + " proxies, " + safe.Int(live) + " live"
}

// partSessionName names a session after the proxy that saw it.
func (r *Recording) partSessionName(i int) safe.Text {
	of, k := r.SessionOrigin(i)
	name := of.Name()
	same := slices.ContainsFunc(r.parts, func(p *Recording) bool { return p != of && p.Name() == of.Name() })
	if same {
		name += " " + safe.Int(slices.Index(r.parts, of)+1)
	}
	if r.SessionsOf(of) > 1 {
		name += " session " + safe.Int(k+1)
	}
	return name
}

// FindingOrigin is a copy of a finding as it is in the recording that it was
// really made in.
func (r *Recording) FindingOrigin(f *diagnose.Finding) (*Recording, *diagnose.Finding) {
	one := *f
	if r.parts == nil {
		return r, &one
	}
	of := r.parts[f.Tap]
	_, one.Session = r.SessionOrigin(f.Session)
	one.Tap = 0
	one.Renumber(func(n uint64) (uint64, bool) {
		p, n := r.Origin(n)
		return n, p == of
	})
	return of, &one
}

// besideParts is what comparing showed of the parts, as it is in r.
func (r *Recording) besideParts() (out []*diagnose.Finding) {
	for i, p := range r.parts {
		if len(p.Findings.beside) == 0 {
			continue
		}
		here := map[uint64]uint64{}
		for k := range r.Frames {
			if int(r.Frames[k].Part) == i {
				here[uint64(r.numbers[k])] = uint64(r.Frames[k].N)
			}
		}
		number := func(n uint64) (uint64, bool) {
			n, ok := here[n]
			return n, ok
		}
		for _, f := range p.Findings.beside {
			one := *f
			one.Tap, one.Session = i, r.sessionOf(i, f.Session)
			one.Renumber(number)
			out = append(out, &one)
		}
	}
	return out
}

// sessionOf is the index of a session of a part, -1 for none.
func (r *Recording) sessionOf(part, session int) int {
	for _, s := range r.Tracker.Sessions() {
		if s.Tap == part {
			if session == 0 {
				return s.Index
			}
			session--
		}
	}
	return -1
}
