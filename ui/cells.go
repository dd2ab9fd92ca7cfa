package ui

import (
	"strconv"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Time columns of the list.
type timeFormat uint8

const (
	sinceStart timeFormat = iota
	clockTime
	sincePrevious
	timeFormats
)

// cells is one row of the list as text, before it has a width.
type cells struct {
	num, time         safe.Text
	dir, verdict      string
	dirSt, verdictSt  term.Style
	method            safe.Text
	methodSt          term.Style
	target, result    safe.Text
	resultSt          term.Style
	id, latency, size safe.Text
	latencySt         term.Style
	status            safe.Text
	child, failed     bool
	marked, commented bool
	found             string // sign of a finding
	foundSt           term.Style
}

// scene is what rendering a row needs besides the row.
type scene struct {
	th   *term.Theme
	sg   *term.Glyphs
	time timeFormat
	now  time.Time
	base int64              // where time begins, nanoseconds since the recording started
	rec  *library.Recording // which one; nil for all

	w      int  // cells of the screen
	look   int  // another number when th or sg are others
	ascii  bool // no other characters
	frozen bool // now stands still
}

// baseOf is where time begins in a recording, as the list shows it or would.
func (sc *scene) baseOf(r *library.Recording) int64 {
	switch {
	case r == sc.rec:
		return sc.base
	case len(r.Tracker.Sessions()) == 1:
		return r.Session(0).Started
	}
	return 0
}

// rowCells puts one row of the tracker into cells. prev is the arrival of the
// row above it.
func rowCells(sc *scene, rec *library.Recording, i int, prev int64) cells {
	row, w := rec.Tracker.Row(i), rec.Texts.Of(i)
	c := cells{
		num:    safe.Int(int(row.Request)),
		time:   sc.point(rec, row.T, prev),
		method: safe.Line(library.ShortMethod(row, rec.Tracker.Name(row.Name))),
		target: safe.Line(w.Target),
		result: safe.Line(w.Result),
		id:     safe.Line(strings.Trim(rec.Tracker.Name(row.ID), `"`)),
		child:  row.Parent >= 0,
		marked: rec.Marked(i), commented: rec.Comment(i) != "",
	}
	if n := int64(row.Len) + int64(row.RLen); n > 0 {
		c.size = term.Size(n)
	}
	if row.Status > 0 {
		c.status = safe.Int(int(row.Status))
	}
	c.dir, c.dirSt = sc.direction(row)
	c.verdict, c.verdictSt = sc.verdict(row)
	c.found, c.foundSt = sc.found(&rec.Findings, uint64(i), false)
	sc.latency(&c, rec, row)
	sc.tone(&c, row)
	return c
}

// tone sets the styles that depend on the kind and the outcome.
func (sc *scene) tone(c *cells, row *session.Row) {
	switch row.Kind {
	case session.RowNotification, session.RowStderr, session.RowProcess, session.RowTap, session.RowHTTP:
		c.methodSt = sc.th.Dim
	}
	switch row.Verdict {
	case session.VerdictError, session.VerdictLost:
		c.resultSt, c.methodSt, c.failed = sc.th.Err, term.Plain, true
	case session.VerdictWarning:
		c.resultSt = sc.th.Warn
	case session.VerdictCancelled:
		c.resultSt = sc.th.Dim
	}
}

// point is a moment in the chosen format.
func (sc *scene) point(rec *library.Recording, t, prev int64) safe.Text {
	switch sc.time {
	case clockTime:
		return safe.Text(rec.Started.Add(time.Duration(t)).Local().Format("15:04:05.000"))
	case sincePrevious:
		return "+" + term.Seconds(t-prev)
	}
	return term.Seconds(max(0, t-sc.base))
}

func (sc *scene) direction(row *session.Row) (string, term.Style) {
	toServer := row.Dir == wire.ToServer
	st := sc.th.S2c
	if toServer {
		st = sc.th.C2s
	}
	switch row.Kind {
	case session.RowCall, session.RowResponse:
		if toServer {
			return sc.sg.Req, st
		}
		return sc.sg.Ans, st
	case session.RowNotification, session.RowNoise:
		if toServer {
			return sc.sg.ReqNote, st
		}
		return sc.sg.AnsNote, st
	}
	return sc.sg.Band, sc.th.Dim
}

func (sc *scene) verdict(row *session.Row) (string, term.Style) {
	switch row.Verdict {
	case session.VerdictPending:
		return sc.sg.Pend, sc.th.Pend
	case session.VerdictOK:
		return sc.sg.Ok, sc.th.Ok
	case session.VerdictError:
		return sc.sg.Err, sc.th.Err
	case session.VerdictLost:
		return sc.sg.Lost, sc.th.Err
	case session.VerdictWarning:
		return sc.sg.Warn, sc.th.Warn
	case session.VerdictCancelled:
		return sc.sg.Cancel, sc.th.Dim
	}
	return "", term.Plain
}

func (sc *scene) latency(c *cells, rec *library.Recording, row *session.Row) {
	switch {
	case row.Verdict == session.VerdictPending && rec.Live:
		c.latency, c.latencySt = "+"+term.Duration(elapsed(sc.now, rec, row.T)), sc.th.Pend
	case row.Verdict == session.VerdictPending:
		c.latency, c.latencySt = "never", sc.th.Dim
	case row.Verdict == session.VerdictLost:
		c.latency, c.latencySt = "lost", sc.th.Err
	case row.Verdict == session.VerdictCancelled:
		c.latency, c.latencySt = "cancel", sc.th.Dim
	case row.End > 0 && row.Kind != session.RowProcess:
		c.latency = term.Duration(row.Latency())
	}
}

// elapsed is how long ago a moment of a recording was.
func elapsed(now time.Time, rec *library.Recording, t int64) int64 {
	return max(0, int64(now.Sub(rec.Started))-t)
}

// frameCells puts one raw frame into cells; preview is the beginning of its
// bytes when they are at hand.
func frameCells(sc *scene, rec *library.Recording, m *library.FrameInfo, prev int64, preview safe.Text) cells {
	c := cells{
		num:    safe.Int(int(m.N)),
		time:   sc.point(rec, m.T, prev),
		method: safe.Text(m.Kind.String()),
		target: preview,
		size:   term.Size(int64(m.Len)),
		dir:    sc.sg.Band, dirSt: sc.th.Dim,
	}
	switch m.Dir {
	case wire.ToServer:
		c.dir, c.dirSt = sc.sg.Req, sc.th.C2s
	case wire.ToClient:
		c.dir, c.dirSt = sc.sg.Ans, sc.th.S2c
	}
	c.marked, c.commented = rec.Marked(int(m.Row)), rec.Comment(int(m.Row)) != ""
	c.found, c.foundSt = sc.found(&rec.Findings, uint64(m.N), true)
	if m.X > 0 {
		c.id = safe.Text("x" + strconv.Itoa(int(m.X)))
	}
	if !c.carrier(m) {
		c.methodSt = sc.th.Dim
	}
	return c
}

func (c *cells) carrier(m *library.FrameInfo) bool {
	return m.Kind == wire.KindLine || m.Kind == wire.KindBody || m.Kind == wire.KindEvent
}
