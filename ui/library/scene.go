package library

import (
	"cmp"
	"time"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// Scene is what rendering a row needs besides the row.
type Scene struct {
	term.Screen
	Base int64      // where time begins, nanoseconds since the recording started
	Rec  *Recording // which one; nil for all
	All  []*Recording
	// Marked is the session that another is to be compared with, nil for none.
	Marked *SessionRef
	// Failed gets a defect of midwire in what is drawn; nil for nobody.
	Failed func(*defect.Defect)
}

// Undrawn stands in the place of what could not be drawn.
func Undrawn(unit safe.Text) safe.Text {
	return "midwire has a defect: " + unit + " cannot be drawn; see " + defect.File + " in midwire's folder"
}

// DrawRow draws one row of a list in w cells: one that cannot be drawn costs no other.
func (sc *Scene) DrawRow(w int, draw func() string) (line string) {
	d := defect.Guard("a row", 0, func() { line = draw() })
	if d == nil {
		return line
	}
	if sc.Failed != nil {
		sc.Failed(d)
	}
	return term.NewLine(w, sc.Glyphs).Put(sc.Theme.Err, Undrawn("this row")).Finish()
}

// BaseOf is where time begins in a recording, as the list shows it or would.
func (sc *Scene) BaseOf(r *Recording) int64 {
	switch {
	case r == sc.Rec:
		return sc.Base
	case len(r.Tracker.Sessions()) == 1:
		return r.Session(0).Started
	}
	return 0
}

// Point is a moment in the chosen format.
func (sc *Scene) Point(rec *Recording, t int64) safe.Text {
	if sc.Time == term.ClockTime {
		return safe.Time(rec.Started.Add(time.Duration(t)).Local(), "15:04:05.000")
	}
	return term.Seconds(max(0, t-sc.Base))
}

// Pace says whether what is on the screen grows, and which key has it grow again.
func (sc *Scene) Pace(r *Recording, follow bool) []term.Seg {
	paused := func(key safe.Text) []term.Seg {
		return []term.Seg{term.S(sc.Theme.Warn+term.Bold, sc.Glyphs.Paused+" paused ("+key+" resumes)")}
	}
	switch {
	case sc.Frozen:
		return paused("p")
	case !r.Live:
		return []term.Seg{term.S(sc.Theme.Dim, sc.Glyphs.Ended+" ended")}
	case !follow:
		return paused("G")
	}
	return []term.Seg{term.S(sc.Theme.Ok, sc.Glyphs.Live), term.S(term.Plain, " live")}
}

// Direction is the arrow of a row.
func (sc *Scene) Direction(row *session.Row) (safe.Text, term.Style) {
	toServer := row.Dir == wire.ToServer
	st := sc.Theme.ToClient
	if toServer {
		st = sc.Theme.ToServer
	}
	switch row.Kind {
	case session.RowCall, session.RowResponse:
		if toServer {
			return sc.Glyphs.Req, st
		}
		return sc.Glyphs.Ans, st
	case session.RowNotification, session.RowNoise:
		if toServer {
			return sc.Glyphs.ReqNote, st
		}
		return sc.Glyphs.AnsNote, st
	}
	return sc.Glyphs.Band, sc.Theme.Dim
}

// Ending is the sign of what came of a row.
func (sc *Scene) Ending(row *session.Row) (safe.Text, term.Style) {
	switch e := row.Ending; {
	case e.Open():
		return sc.Glyphs.Pend, sc.Theme.Pend
	case e == session.Served:
		return sc.Glyphs.Ok, sc.Theme.Ok
	case e.IsError():
		return sc.Glyphs.Err, sc.Theme.Err
	case e.Lost():
		return sc.Glyphs.Lost, sc.Theme.Err
	case e == session.Irregular:
		return sc.Glyphs.Warn, sc.Theme.Warn
	case e.GaveUp():
		return sc.Glyphs.Cancel, sc.Theme.Dim
	}
	return "", term.Plain
}

// Elapsed is how long ago a moment of a recording was.
func Elapsed(now time.Time, rec *Recording, t int64) int64 {
	return max(0, int64(now.Sub(rec.Started))-t)
}

// Severity is the sign of a severity.
func (sc *Scene) Severity(s diagnose.Severity) (safe.Text, term.Style) {
	switch s {
	case diagnose.Error:
		return sc.Glyphs.Err, sc.Theme.Err
	case diagnose.Warning:
		return sc.Glyphs.Warn, sc.Theme.Warn
	case diagnose.Note:
		return sc.Glyphs.Note, sc.Theme.Note
	}
	return sc.Glyphs.Dot, sc.Theme.Dim
}

// FoundAt is the sign of a row, or of a frame when frames is set: what shows
// there, or a dot for evidence of what shows elsewhere.
func (sc *Scene) FoundAt(x *Findings, id uint64, frames bool) (safe.Text, term.Style) {
	at, evidence := x.ShowsAtRow[int32(id)], len(x.ByRow[int32(id)]) > 0
	if frames {
		at, evidence = x.ShowsAtFrame[id], len(x.ByFrame[id]) > 0
	}
	if at == 0 && !evidence {
		return "", term.Plain
	}
	return sc.Severity(at)
}

// PeerText names a client or a server.
func PeerText(p session.Peer) safe.Text {
	name := cmp.Or(p.Name, p.Title)
	if p.Version != "" {
		name += " " + p.Version
	}
	return safe.Line(name)
}
