package sessions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// key is the identity of a row, stable while data changes.
type key struct {
	rec  string
	sess int
}

// row is one session of a recording, or all of one of which no session is known.
type row struct {
	rec  *library.Recording
	sess int              // index, library.AllSessions for none
	sum  *summary.Session // what is known of it; nil for a recording without sessions, or not read yet
	name safe.Text        // the client's, with a number where it is not alone
	seq  int              // rows that came later have a higher one
	// nested says that it stands below the session that it is a leg of.
	nested   bool
	lastLeg  bool             // and that no other does below it
	news     bool             // it came while the screen was open, and was not seen yet
	counter  *summary.Counter // while it is counted
	counting counted          // as of when
	counted
}

// hue is the colour of the session, which it keeps when it is opened.
func (r *row) hue(th *term.Theme) term.Style { return r.rec.Hue(th, max(0, r.sess)) }

type counted struct {
	rows, messages, errors, pending int
	found                           library.Tally
	finished                        bool // no rule has more to say
	last                            int64
	state                           session.State
}

func (r *row) key() key { return key{r.rec.ID, r.sess} }

// scope is what enter shows: the session, or all of a recording that has no other.
func (r *row) scope() library.Scope {
	sc := library.Scope{Rec: r.rec, Session: r.sess}
	if r.rec.SessionCount() < 2 {
		sc.Session = library.AllSessions
	}
	return sc
}

func (r *row) unread() bool {
	return r.sum == nil && !r.rec.Live && !r.rec.Loaded() && r.rec.Summary == nil && !r.rec.Broken()
}

func (r *row) started() time.Time {
	if r.sum == nil {
		return r.rec.Started
	}
	return r.rec.Started.Add(time.Duration(r.sum.Started))
}

func (r *row) last() time.Time {
	if r.sum == nil {
		return r.rec.Started
	}
	return r.rec.Started.Add(time.Duration(r.sum.Last))
}

func (r *row) live() bool {
	return r.rec.Live && (r.sum == nil || r.sum.State != session.StateClosed && !r.over())
}

// over says whether the session ended before its time.
func (r *row) over() bool {
	return r.sum.State == session.StateFailed || r.sum.State == session.StateLost
}

func (r *row) broke() bool {
	if r.sum != nil && r.sum.Result != (diagnose.Verdict{}) {
		return r.sum.Result.Outcome == diagnose.Failed
	}
	return r.sum != nil && r.over()
}

// worst is the worst that was found, nil for nothing.
func (r *row) worst() *summary.Finding {
	if r.sum == nil || len(r.sum.Findings) == 0 {
		return nil
	}
	return &r.sum.Findings[0]
}

// failing says whether the session came to nothing: not only a call of it.
func (r *row) failing() bool {
	return r.rec.Broken() || r.broke()
}

func (r *row) replay() bool {
	return r.rec.CalledName != "" || r.rec.Summary != nil && r.rec.Summary.Replays != ""
}

// called is what the user calls the session, or the recording that has only this
// one; "" for nothing.
func (r *row) called() safe.Text {
	own := ""
	if r.sum != nil {
		own = r.rec.Notes.Text(r.sum.Key())
	}
	if own == "" && r.rec.SessionCount() < 2 {
		own = r.rec.Notes.Text(notes.Key{})
	}
	return safe.Line(own)
}

// client is the peer that is shown as the client, and its version.
func (r *row) client() (name, version safe.Text) {
	if r.sum == nil {
		return r.rec.Name(), ""
	}
	return r.name, safe.Line(r.sum.Client.Version)
}

// server is what the server calls itself, or else what its recording is called;
// own says which.
func (r *row) server() (name, version safe.Text, own bool) {
	if r.sum == nil {
		return "", "", false
	}
	p := r.sum.Server
	if p.Name == "" && p.Title == "" {
		return r.rec.Name(), "", false
	}
	return safe.Line(cmp.Or(p.Name, p.Title)), safe.Line(p.Version), true
}

// how is the transport and the protocol version of the session.
func (r *row) how() safe.Text {
	return safe.Line(strings.TrimSpace(r.sum.Transport.String() + "   " + string(r.sum.ProtocolVersion)))
}

const (
	activity    = 8 // cells of it that are drawn
	callsColumn = 4 // where what is wrong with a recording stands instead of numbers
)

// fullWidth is where there is room for seconds.
const fullWidth = 160

// roomy says whether there is room for versions.
func roomy(sc *library.Scene) bool { return term.Wide(sc.Width) }

func (v *View) table(sc *library.Scene) *term.Table[*row] {
	names, layout := 24, safe.Text("15:04")
	switch { // versions, then seconds, give way to the verdict
	case !roomy(sc):
		names = 14
	case sc.Width >= fullWidth:
		layout = "15:04:05"
	}
	if v.group != byDay { // what is shown by day needs no dates
		layout = "01-02 15:04"
	}
	t := &term.Table[*row]{
		Screen: &sc.Screen,
		Tight:  true,
		Lead: func(r *row) (term.Style, term.Seg) {
			sign, st := r.sign(sc)
			return r.hue(sc.Theme), term.S(st, sign)
		},
		Rest: func(r *row) (int, term.Seg) {
			if r.rec.Broken() {
				return callsColumn, term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "+r.rec.TroubleText())
			}
			return 0, term.Seg{}
		},
		Columns: []term.Column[*row]{
			{Head: "CLIENT", Min: 10, Max: names, Draw: func(l *term.Line, r *row) {
				v.drawClient(l, sc, r)
			}},
			{Head: "SERVER", Rank: 2, Min: 10, Max: names, Draw: func(l *term.Line, r *row) { drawServer(l, sc, r) }},
			{Head: "TIME" + sc.Glyphs.Falling, Rank: 1, Min: len(layout), Cell: func(r *row) term.Seg {
				return term.S(sc.Theme.Dim, clock(r, layout))
			}},
			{Head: "CALLS", Rank: 1, Min: 5, Right: true, Cell: func(r *row) term.Seg {
				return r.calls(sc)
			}},
			{Head: "ACTIVITY", Rank: 3, Min: activity, Draw: func(l *term.Line, r *row) {
				r.spark(l, sc, r.hue(sc.Theme), activity)
			}},
			{Head: "VERDICT", Min: 18, Flex: 1, Draw: func(l *term.Line, r *row) { r.drawVerdict(l, sc) }},
		},
	}
	if !roomy(sc) {
		t.Columns = slices.DeleteFunc(t.Columns, func(c term.Column[*row]) bool { return c.Head == "ACTIVITY" })
	}
	return t
}
