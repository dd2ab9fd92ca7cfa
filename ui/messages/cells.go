package messages

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Cells is one row of the list as text, before it has a width.
type Cells struct {
	Num, time         safe.Text
	Dir, Verdict      safe.Text
	DirSt, VerdictSt  term.Style
	Method            safe.Text
	MethodSt          term.Style
	Target, Result    safe.Text
	resultSt          term.Style
	id, Latency, size safe.Text
	LatencySt         term.Style
	status            safe.Text
	child, failed     bool
	Marked, commented bool
	Found             safe.Text // sign of a finding
	FoundSt           term.Style
}

// RowCells puts one row of the tracker into cells. prev is the arrival of the
// row above it.
func RowCells(sc *library.Scene, rec *library.Recording, i int, prev int64) Cells {
	row, w := rec.Tracker.Row(i), rec.Texts.Of(i)
	c := Cells{
		Num:    safe.Int(int(row.Request)),
		time:   sc.Point(rec, row.T, prev),
		Method: safe.Line(library.ShortMethod(row, rec.Tracker.Name(row.Name))),
		Target: safe.Line(w.Target),
		Result: safe.Line(w.Result),
		id:     safe.Line(strings.Trim(rec.Tracker.Name(row.ID), `"`)),
		child:  row.Parent >= 0,
		Marked: rec.Marked(i), commented: rec.Comment(i) != "",
	}
	if n := int64(row.Len) + int64(row.RLen); n > 0 {
		c.size = term.Size(n)
	}
	if row.Status > 0 {
		c.status = safe.Int(int(row.Status))
	}
	c.Dir, c.DirSt = sc.Direction(row)
	c.Verdict, c.VerdictSt = sc.Verdict(row)
	c.Found, c.FoundSt = sc.FoundAt(&rec.Findings, uint64(i), false)
	latency(sc, &c, rec, row)
	tone(sc, &c, row)
	return c
}

// tone sets the styles that depend on the kind and the outcome.
func tone(sc *library.Scene, c *Cells, row *session.Row) {
	switch row.Kind {
	case session.RowNotification, session.RowStderr, session.RowProcess, session.RowTap, session.RowHTTP:
		c.MethodSt = sc.Theme.Dim
	}
	switch row.Verdict {
	case session.VerdictError, session.VerdictLost:
		c.resultSt, c.MethodSt, c.failed = sc.Theme.Err, term.Plain, true
	case session.VerdictWarning:
		c.resultSt = sc.Theme.Warn
	case session.VerdictCancelled:
		c.resultSt = sc.Theme.Dim
	}
}

func latency(sc *library.Scene, c *Cells, rec *library.Recording, row *session.Row) {
	switch {
	case row.Verdict == session.VerdictPending && rec.Live:
		c.Latency, c.LatencySt = "+"+term.Duration(library.Elapsed(sc.Now, rec, row.T)), sc.Theme.Pend
	case row.Verdict == session.VerdictPending:
		c.Latency, c.LatencySt = "never", sc.Theme.Dim
	case row.Verdict == session.VerdictLost:
		c.Latency, c.LatencySt = "lost", sc.Theme.Err
	case row.Verdict == session.VerdictCancelled:
		c.Latency, c.LatencySt = "cancel", sc.Theme.Dim
	case row.End > 0 && row.Kind != session.RowProcess:
		c.Latency = term.Duration(row.Latency())
	}
}

// FrameCells puts one raw frame into cells; preview is the beginning of its
// bytes when they are at hand.
func FrameCells(sc *library.Scene, rec *library.Recording, m *library.FrameInfo, prev int64, preview safe.Text) Cells {
	c := Cells{
		Num:    safe.Int(int(m.N)),
		time:   sc.Point(rec, m.T, prev),
		Method: safe.Line(m.Kind.String()),
		Target: preview,
		size:   term.Size(int64(m.Len)),
		Dir:    sc.Glyphs.Band, DirSt: sc.Theme.Dim,
	}
	switch m.Dir {
	case wire.ToServer:
		c.Dir, c.DirSt = sc.Glyphs.Req, sc.Theme.ToServer
	case wire.ToClient:
		c.Dir, c.DirSt = sc.Glyphs.Ans, sc.Theme.ToClient
	}
	c.Marked, c.commented = rec.Marked(int(m.Row)), rec.Comment(int(m.Row)) != ""
	c.Found, c.FoundSt = sc.FoundAt(&rec.Findings, uint64(m.N), true)
	if m.X > 0 {
		c.id = "x" + safe.Int(m.X)
	}
	if !c.carrier(m) {
		c.MethodSt = sc.Theme.Dim
	}
	return c
}

func (c *Cells) carrier(m *library.FrameInfo) bool {
	return m.Kind == wire.KindLine || m.Kind == wire.KindBody || m.Kind == wire.KindEvent
}
