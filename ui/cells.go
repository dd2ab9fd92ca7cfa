package ui

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
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

// rowCells puts one row of the tracker into cells. prev is the arrival of the
// row above it.
func rowCells(sc *library.Scene, rec *library.Recording, i int, prev int64) cells {
	row, w := rec.Tracker.Row(i), rec.Texts.Of(i)
	c := cells{
		num:    safe.Int(int(row.Request)),
		time:   sc.Point(rec, row.T, prev),
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
	c.dir, c.dirSt = sc.Direction(row)
	c.verdict, c.verdictSt = sc.Verdict(row)
	c.found, c.foundSt = sc.FoundAt(&rec.Findings, uint64(i), false)
	latency(sc, &c, rec, row)
	tone(sc, &c, row)
	return c
}

// tone sets the styles that depend on the kind and the outcome.
func tone(sc *library.Scene, c *cells, row *session.Row) {
	switch row.Kind {
	case session.RowNotification, session.RowStderr, session.RowProcess, session.RowTap, session.RowHTTP:
		c.methodSt = sc.Theme.Dim
	}
	switch row.Verdict {
	case session.VerdictError, session.VerdictLost:
		c.resultSt, c.methodSt, c.failed = sc.Theme.Err, term.Plain, true
	case session.VerdictWarning:
		c.resultSt = sc.Theme.Warn
	case session.VerdictCancelled:
		c.resultSt = sc.Theme.Dim
	}
}

func latency(sc *library.Scene, c *cells, rec *library.Recording, row *session.Row) {
	switch {
	case row.Verdict == session.VerdictPending && rec.Live:
		c.latency, c.latencySt = "+"+term.Duration(library.Elapsed(sc.Now, rec, row.T)), sc.Theme.Pend
	case row.Verdict == session.VerdictPending:
		c.latency, c.latencySt = "never", sc.Theme.Dim
	case row.Verdict == session.VerdictLost:
		c.latency, c.latencySt = "lost", sc.Theme.Err
	case row.Verdict == session.VerdictCancelled:
		c.latency, c.latencySt = "cancel", sc.Theme.Dim
	case row.End > 0 && row.Kind != session.RowProcess:
		c.latency = term.Duration(row.Latency())
	}
}

// frameCells puts one raw frame into cells; preview is the beginning of its
// bytes when they are at hand.
func frameCells(sc *library.Scene, rec *library.Recording, m *library.FrameInfo, prev int64, preview safe.Text) cells {
	c := cells{
		num:    safe.Int(int(m.N)),
		time:   sc.Point(rec, m.T, prev),
		method: safe.Text(m.Kind.String()),
		target: preview,
		size:   term.Size(int64(m.Len)),
		dir:    sc.Glyphs.Band, dirSt: sc.Theme.Dim,
	}
	switch m.Dir {
	case wire.ToServer:
		c.dir, c.dirSt = sc.Glyphs.Req, sc.Theme.C2s
	case wire.ToClient:
		c.dir, c.dirSt = sc.Glyphs.Ans, sc.Theme.S2c
	}
	c.marked, c.commented = rec.Marked(int(m.Row)), rec.Comment(int(m.Row)) != ""
	c.found, c.foundSt = sc.FoundAt(&rec.Findings, uint64(m.N), true)
	if m.X > 0 {
		c.id = safe.Text("x" + strconv.Itoa(int(m.X)))
	}
	if !c.carrier(m) {
		c.methodSt = sc.Theme.Dim
	}
	return c
}

func (c *cells) carrier(m *library.FrameInfo) bool {
	return m.Kind == wire.KindLine || m.Kind == wire.KindBody || m.Kind == wire.KindEvent
}
