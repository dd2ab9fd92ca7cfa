package messages

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Cells is one row of the list as text, before it has a width.
type Cells struct {
	Num, time         safe.Text
	session           safe.Text
	hue               term.Style // of the session
	Dir, Verdict      safe.Text
	DirSt, VerdictSt  term.Style
	Method            safe.Text
	MethodSt          term.Style
	Target, Result    safe.Text
	name, more        safe.Text // of Target: the tool, and what else is said
	called            bool      // a tool is called, and name is what it is called
	resultSt          term.Style
	id, Latency, size safe.Text
	LatencySt         term.Style
	status            safe.Text
	touched           safe.Text // what the gate did to it
	child, failed     bool
	commented         bool
	Found             safe.Text // sign of a finding
	FoundSt           term.Style
	request           uint32 // the number of the row
	from, to          int64  // when it happened; to is 0 for a row without a bar
	barSt             term.Style
	idle              int64 // of a line that is no row: how long nothing happened
}

// RowCells puts one row of the tracker into cells.
func RowCells(sc *library.Scene, rec *library.Recording, i int) Cells {
	row, w := rec.Tracker.Row(i), rec.Texts.Of(i)
	name, more := w.Parts()
	c := Cells{
		Num:    safe.Int(int(row.Request)),
		time:   sc.Point(rec, row.T),
		Method: safe.Line(library.ShortMethod(row, rec.Tracker.Name(row.Name))), MethodSt: sc.Theme.Dim,
		Target: rowText(w.Target), name: rowText(name), more: rowText(more),
		Result:    rowText(library.Unquoted(w.Result)),
		id:        safe.Line(strings.Trim(wire.ID([]byte(rec.Tracker.Name(row.ID))), `"`)),
		child:     row.Parent >= 0 && row.Kind != session.RowCall,
		request:   row.Request,
		commented: rec.Comment(i) != "",
	}
	c.called = row.Kind == session.RowCall && rec.Tracker.Name(row.Name) == mcp.ToolsCall && c.name != ""
	switch {
	case row.Kind == session.RowHTTP: // those words begin with the method
		c.more = safe.Line(strings.TrimPrefix(strings.TrimPrefix(w.Target, string(c.Method)), " "))
	case !c.called:
		c.more = c.Target
	}
	if n := followers(rec, i); n > 0 {
		c.Result = "+" + term.Count(n, "line")
	}
	if row.Ending.Open() && c.Result == "" {
		c.Result, c.resultSt = progress(sc, rec, i), sc.Theme.Pend
	}
	if row.Ending.Open() && c.Result == "" {
		if chain := rec.Debts(i); len(chain) > 1 && chain[1].Kind == ledger.Response && chain[1].End.Open() {
			c.Result, c.resultSt = "waits for #"+safe.Int(chain[1].N), sc.Theme.Pend
		}
	}
	c.of(sc, rec, int(row.Session))
	if n := int64(row.Len) + int64(row.RLen); n > 0 {
		c.size = term.Size(n)
	}
	if row.Status > 0 {
		c.status = safe.Int(int(row.Status))
	}
	c.Dir, c.DirSt = sc.Direction(row)
	c.barSt = c.DirSt
	if row.Ending.Open() {
		c.barSt = sc.Theme.Pend
	}
	c.Verdict, c.VerdictSt = sc.Ending(row)
	c.Found, c.FoundSt = sc.FoundAt(&rec.Findings, uint64(i), false)
	latency(sc, &c, rec, row)
	switch e := row.Ending; {
	case e.Bad():
		c.resultSt, c.failed, c.barSt = sc.Theme.Err+term.Bold, true, sc.Theme.Err
		if said := "failed: "; strings.HasPrefix(string(c.Result), said) { // the sign says so
			c.Result = c.Result[len(said):]
		}
	case e == session.Irregular:
		c.resultSt = sc.Theme.Warn
	case e.GaveUp():
		c.resultSt = sc.Theme.Dim
	}
	c.atGate(sc, rec, i)
	return c
}

// progress is how far a pending call is, as its latest notification says: a bar, and its words.
func progress(sc *library.Scene, rec *library.Recording, call int) safe.Text {
	const near, cells = 512, 8
	t := rec.Tracker
	for i := t.Rows() - 1; i > max(call, t.Rows()-near) && t.Row(call).Count > 0; i-- {
		if row := t.Row(i); int(row.Parent) != call || t.Name(row.Name) != mcp.NotifyProgress {
			continue
		}
		_, said, _ := strings.Cut(rec.Texts.Of(i).Target, " ") // of
		_, said, _ = strings.Cut(said, " ")                    // #12
		step, _, _ := strings.Cut(said, " ")
		done, all, _ := strings.Cut(step, "/")
		n, err := strconv.ParseFloat(done, 64)
		of, bad := strconv.ParseFloat(all, 64)
		if err != nil || bad != nil || n < 0 || of <= 0 {
			return rowText(said)
		}
		full := int(min(n/of, 1) * cells)
		return safe.Repeat(sc.Glyphs.Full, full) + safe.Repeat(sc.Glyphs.Dot, cells-full) + " " + rowText(said)
	}
	return ""
}

// followers are how many lines of standard error follow one, which have no rows of their
// own.
func followers(rec *library.Recording, i int) (n int) {
	const most = 999
	t := rec.Tracker
	for k := i + 1; t.Row(i).Kind == session.RowStderr && k < t.Rows() && n < most; k++ {
		if row := t.Row(k); row.Kind != session.RowStderr || row.Session != t.Row(i).Session {
			break
		}
		n++
	}
	return n
}

// atGate says what the gate of the tap did to a row, and whether it holds it now.
func (c *Cells) atGate(sc *library.Scene, rec *library.Recording, i int) {
	c.touched = safe.Line(describe.Touch(rec.Tracker.Touched(i)))
	if c.touched != "" && c.Result == safe.Line(describe.Gate(rec.Tracker, rec.Tracker.Row(i))) {
		c.touched, c.resultSt = "", sc.Theme.Warn // the result says it all
	}
	since, held := rec.Held[i]
	if !held {
		return
	}
	c.touched = ""
	c.Verdict, c.VerdictSt = sc.Glyphs.Issued, sc.Theme.Warn
	badge := sc.Theme.Badge(sc.Theme.Warn+term.Bold, "held at the gate")
	c.Result, c.resultSt = badge.Text, badge.Style
	c.Latency, c.LatencySt = term.Duration(int64(sc.Now.Sub(since))), sc.Theme.Warn+term.Bold
}

// rowText makes words safe for a row. An emoji of several joined ones, which
// terminals draw in different widths, is the first of them and an ellipsis.
func rowText(s string) safe.Text {
	const joiner = "\u200d"
	if !strings.Contains(s, joiner) {
		return safe.Line(s)
	}
	var b strings.Builder
	for s != "" {
		bytes, _ := term.Cluster(s)
		cluster := s[:max(bytes, 1)]
		if first, _, joined := strings.Cut(cluster, joiner); joined && first != "" && len(cluster) > len(first+joiner) {
			b.WriteString(first + "…")
		} else {
			b.WriteString(cluster)
		}
		s = s[len(cluster):]
	}
	return safe.Line(b.String())
}

func (c *Cells) of(sc *library.Scene, rec *library.Recording, session int) {
	c.hue = rec.Hue(sc.Theme, session)
	if session >= 0 {
		c.session = rec.SessionName(session)
	}
}

// latency is said in the colour of its heat: what is slow for its session, and
// what has been waited for too long.
func latency(sc *library.Scene, c *Cells, rec *library.Recording, row *session.Row) {
	const tooLong = 10 // times what is slow
	slow := rec.Slow(int(row.Session))
	switch {
	case row.Ending.Open() && rec.Live:
		waits := library.Elapsed(sc.Now, rec, row.T)
		c.Latency, c.LatencySt = "+"+term.Duration(waits), sc.Theme.Pend
		if slow > 0 && waits > tooLong*slow && !rec.IsStream(row) {
			c.LatencySt = sc.Theme.Err
		}
	case row.Ending.Open():
		c.Latency, c.LatencySt = "never", sc.Theme.Dim
	case row.Ending.Lost():
		c.Latency, c.LatencySt = "lost", sc.Theme.Err
	case row.Ending.GaveUp():
		c.Latency, c.LatencySt = "cancel", sc.Theme.Dim
	case row.End > 0 && row.Kind != session.RowProcess:
		if c.Latency = term.Duration(row.Latency()); slow > 0 && row.Latency() > slow && row.Kind == session.RowCall {
			c.LatencySt = sc.Theme.Warn
		}
	}
}
