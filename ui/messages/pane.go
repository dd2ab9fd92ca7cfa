// Package messages is the list of messages: which rows of a recording are shown
// and in which order, selection and scrolling, the search in payloads, and how a
// row is drawn. A List belongs to the goroutine of the tea.Program; its steps
// (SearchStep, OrderStep) return commands whose messages it takes back.
package messages

import (
	"midwire/session"
	"midwire/session/describe"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Look is how the list is drawn: what it depends on besides itself.
type Look struct {
	Width    int
	Headings bool // there is a line with the names of the columns
	Focus    bool
	Above    int    // lines for what is held
	Filter   string // as it was written
	// Slots are what a session did in all of the time, in so many cells.
	Slots func(session, w int) []term.Slot
}

// columns are those of the list for the rows on the screen; where these are not known, none
// says when they happened.
func (l *List) columns(sc *library.Scene, w int, rows []uint32) *Columns {
	p := Plan{Width: w, Last: 1, Time: 5, Bars: len(rows) > 0}
	if r := l.Rec; r != nil {
		p.Widths = r.Widths
		if n := len(r.Frames); n > 0 {
			p.Last = uint64(r.Frames[n-1].N)
			p.Time = max(p.Time, term.Width(term.Seconds(r.Frames[n-1].T)))
		}
		p.Names, p.HTTP = l.names(), r.Tap != "stdio"
	}
	switch sc.Time {
	case term.ClockTime:
		p.Time = len("15:04:05.000")
	}
	for _, id := range rows {
		r := RowCells(sc, l.Rec, int(id))
		p.Result = max(p.Result, term.Width(r.touched)+1+term.Width(r.Result))
	}
	c := LayColumns(sc, &p)
	if l.Query != nil {
		c.hit = l.Query.Wanted()
	}
	if c.timed {
		c.axis = l.axisOf(sc, rows, c.Cells(len(c.Columns)-1))
	}
	return c
}

// names is how many cells the names of the sessions take, 0 where only one is
// shown.
func (l *List) names() int {
	const some, most = 64, 16
	all := l.Rec.Tracker.Sessions()
	if l.Session != library.AllSessions || len(all) < 2 || l.Grouped() {
		return 0
	}
	n := len("SESSION")
	for i := range all[:min(len(all), some)] {
		n = max(n, term.Width(l.Rec.SessionName(i)))
	}
	return min(n, most)
}

// Draw draws the list, h lines and the one with the names of the columns.
func (l *List) Draw(sc *library.Scene, look *Look, h int) []string {
	var out []string
	col := l.columns(sc, look.Width, l.OnScreen())
	if look.Headings {
		out = append(out, col.headings(&l.Order))
	}
	out = append(out, l.drawHeld(sc, look, col)...)
	sel, top := l.SelectedLine(), l.FirstIndex()
	end := min(top+h, l.Lines())
	for i := top; i < end && len(l.Visible) > 0; i++ {
		out = append(out, sc.DrawRow(look.Width, func() string { return l.drawLine(sc, look, col, i, i == sel) }))
	}
	switch {
	case l.loading() && (len(l.Visible) > 0 || l.Query == nil):
		for i := end - top; i < h; i++ {
			out = append(out, drawSkeleton(sc, look.Width, i))
		}
	case len(l.Visible) == 0:
		out = append(out, l.drawNothing(sc, look.Width, safe.Line(look.Filter))...)
	}
	return out
}

func (l *List) drawLine(sc *library.Scene, look *Look, col *Columns, i int, chosen bool) string {
	at := l.LineAt(i)
	switch {
	case at.Heading:
		row := term.NewLine(look.Width, sc.Glyphs)
		if chosen {
			row.Selected(sc.Theme, look.Focus)
		}
		return l.drawHeading(row, sc, look, at)
	case at.Idle > 0:
		return col.Row(&Cells{idle: at.Idle}, false, false)
	}
	row := l.Rec.Tracker.Row(int(at.ID))
	c := RowCells(sc, l.Rec, int(at.ID))
	c.from, c.to = row.T, max(l.until(sc, row), 1)
	return col.Row(&c, chosen, look.Focus)
}

// drawHeading names the session of a section, and sums it up.
func (l *List) drawHeading(line *term.Line, sc *library.Scene, look *Look, h Line) string {
	th, sg := sc.Theme, sc.Glyphs
	i, folded := int(l.Rec.Tracker.Row(int(h.ID)).Session), l.Folded(h)
	sign := sg.Open
	if folded {
		sign = sg.Folded
	}
	hue := l.Rec.Hue(th, i)
	line.Put(th.Dim, sign).Gap(1).Put(hue, sg.Edge).Gap(1)
	s := l.Rec.Session(i)
	if s == nil {
		return line.Put(th.Dim, "no session  "+term.Count(len(l.IDsOf(h)), "row")).Finish()
	}
	line.Put(hue+term.Bold, l.Rec.SessionName(i)).Gap(1)
	numbers := l.sums(sc, s, len(l.IDsOf(h)))
	end := line.Max - term.SegsWidth(numbers) - 2
	for _, t := range l.about(s, sg) {
		if n := term.Width(t); n > 0 && line.Used+n+1 <= end {
			line.Put(th.Dim, t).Gap(1)
		}
	}
	if room := min(end-line.Used-2, 40); folded && room >= 8 && look.Slots != nil {
		line.Gap(1).Segs(term.Spark(&sc.Screen, hue, look.Slots(i, room)))
	}
	return line.Gap(line.Max - term.SegsWidth(numbers) - Margin - line.Used).Segs(numbers).Finish()
}

// about is what a heading says of a session besides its name, the most telling
// first.
func (l *List) about(s *session.Session, sg *term.Glyphs) []safe.Text {
	id := safe.Line(s.ID)
	if n := term.Width(id); n > 14 {
		id = term.Cut(id, 6, "") + sg.Ellipsis + term.CutLeft(id, n-4, "")
	}
	server := safe.Text("")
	if s.Server.Name != "" {
		server = sg.Arrow + " " + safe.Line(describe.Peer(s.Server))
	}
	return []safe.Text{safe.Line(s.Client.Version), server, id}
}

// sums counts what a session did, and says what was found.
func (l *List) sums(sc *library.Scene, s *session.Session, shown int) (out []term.Seg) {
	th := sc.Theme
	calls := term.Count(s.Calls, "call")
	if l.Query != nil {
		calls = term.Number(shown) + " of " + term.Number(len(s.Rows()))
	}
	out = append(out, term.S(th.Dim, calls))
	if s.Errors > 0 {
		out = append(out, term.S(th.Err, "  "+term.Number(s.Errors)+" "+sc.Glyphs.Err))
	}
	out = append(out, term.S(term.Plain, "  "))
	return append(out, l.Rec.Judgement(sc, s.Index, max(sc.Width/3, 12))...)
}

// State is what the frame of the list says at its right: filter, order, how many
// rows there are, and how far they are read.
func (l *List) State(sc *library.Scene, look *Look) (out []term.Seg) {
	if l.Rec == nil {
		return nil
	}
	th := sc.Theme
	first := uint8(0) // the rank of what is left last of all so far
	put := func(segs ...term.Seg) {
		rank := segs[0].Rank
		if len(out) > 0 {
			out = append(out, term.Spare(max(rank, first), term.S(term.Plain, "  "))...)
			rank = min(rank, first)
		}
		first = rank
		out = append(out, segs...)
	}
	if look.Filter != "" {
		put(th.Badge(th.Key, term.Shorten("/"+safe.Line(look.Filter), max(look.Width/2, 10), sc.Glyphs)))
		put(term.Spare(2, term.S(th.Key, "esc"), term.S(th.Dim, " shows all"))...)
	}
	if l.opened > 0 && int(l.Selection) == l.opened-1 {
		n := safe.Int(l.Rec.Tracker.Row(l.opened - 1).Request)
		put(term.Spare(2, term.S(th.Dim, "opened at "), term.S(th.Key, "#"+n), term.S(th.Dim, ", the first failure"))...)
	}
	elsewhere := sc.Boxed || look.Filter != "" || term.Narrow(look.Width)
	if ses := l.Scope.Current(); ses != nil && !elsewhere { // of a box the frame says it
		put(term.Spare(1, l.Rec.Judgement(sc, ses.Index, max(look.Width-30, 12))...)...)
	}
	switch {
	case l.Order.On || l.Order.Wanted:
		put(l.OrderState(&sc.Screen)...)
	case l.Grouped():
		put(term.S(th.Dim, "group "), term.S(th.Key, "session"))
	case l.Sessions() > 1:
		put(term.Spare(1, term.S(th.Dim, "group "), term.S(th.Key, "time"))...)
	}
	count := term.Count(len(l.Visible), "exchange")
	if l.Query != nil {
		count = term.Number(len(l.Visible)) + " of " + term.Count(l.Total(), "exchange")
	}
	put(term.S(th.Dim, count))
	switch {
	case l.Scanned < l.Total():
		put(term.S(th.Pend, "filtering "+safe.Int(int(l.Progress()*100))+"%"))
	case l.Searching():
		put(term.S(th.Pend, l.Searched()))
	}
	if l.loading() {
		put(term.S(th.Pend, l.read()))
	}
	if !l.Follow && l.Rec.Live {
		put(l.paused(sc)...)
	}
	return out
}

func (l *List) read() safe.Text {
	r := l.Rec
	if r.Summary != nil && r.Summary.Frames >= len(r.Frames) {
		return "read " + term.Number(len(r.Frames)) + " of " + term.Number(r.Summary.Frames)
	}
	return "read " + safe.Int(int(r.Loading*100)) + "%"
}

// paused says what came since the list follows no more.
func (l *List) paused(sc *library.Scene) []term.Seg {
	th := sc.Theme
	out := []term.Seg{term.S(th.Warn+term.Bold, sc.Glyphs.Paused+" paused")}
	if l.Unseen > 0 && l.ByTime() {
		out = append(out, term.S(th.Warn+term.Bold, " +"+term.Number(l.Unseen)+" new"))
	}
	if l.UnseenErr > 0 {
		out = append(out, term.S(th.Err, " "+term.Number(l.UnseenErr)+" "+sc.Glyphs.Err))
	}
	if l.Unseen > 0 && l.ByTime() {
		out = append(out, term.S(th.Warn+term.Bold, " (G)"))
	}
	return out
}
