package waterfall

import (
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
	"midwire/ui/view"
)

// legend explains the signs on the screen, as many as there is room for.
func (p *painter) legend(w int) string {
	l, th := term.NewLine(w, p.sc.Glyphs), p.sc.Theme
	u := p.used
	l.Gap(1)
	cell, idle := int64(p.scale.unit), int64(foldedFrom*p.scale.unit)
	for _, s := range []struct {
		on    bool
		glyph safe.Text
		st    term.Style
		text  safe.Text
	}{
		{true, p.sg.done + p.sg.done, term.Plain, "in progress"},
		{true, p.sg.short, term.Plain, "under " + term.Duration(cell)},
		{u.pending, p.sg.done + p.sg.open, term.Plain, "pending"},
		{u.failed, p.sg.short, th.Err, "failed"},
		{len(p.scale.parts) > 1, p.sg.fold, th.Dim, "idle over " + term.Duration(idle) + ", folded"},
		{u.asked, p.sg.asked, term.Plain, "server request"},
		{u.stream, p.sg.stream, term.Plain, "streaming"},
		{true, p.sg.moment, term.Plain, "notification"},
		{u.thin, p.sg.thin, term.Plain, "stream"},
	} {
		if s.on && l.Used+term.Width(s.glyph+s.text)+3 < w {
			l.Put(s.st, s.glyph).Gap(1).Put(th.Dim, s.text).Gap(2)
		}
	}
	return l.Finish()
}

// titleState says which rows are seen, in which order.
func (v *View) titleState(sc *library.Scene, l *messages.List) []term.Seg {
	dot := " " + sc.Glyphs.Dot + " "
	if sc.Rec == nil {
		return nil
	}
	n := term.Number(len(l.Visible))
	if l.Query != nil {
		n += " of " + term.Number(l.Total())
	}
	n += " exchanges"
	if v.group.On {
		n = "by session" + dot + n
	}
	out := []term.Seg{term.S(sc.Theme.Dim, n)}
	switch {
	case !l.AllScanned():
		out = append(out, term.S(sc.Theme.Pend, dot+"filtering "+safe.Int(int(l.Progress()*100))+"%"))
	}
	return out
}

// State says in the header which part of the time is on the screen, and whether it goes on.
func (v *View) State(h view.Host) (out []term.Seg) {
	sc := h.Scene()
	if h.Scope().Rec == nil || v.span.rows == 0 {
		return nil
	}
	return append(append(v.windowState(sc), term.S(term.Plain, "   ")), sc.Pace(sc.Rec, h.Rows().Follow)...)
}

func (v *View) windowState(sc *library.Scene) []term.Seg {
	w := v.axis.window(v.extent(sc))
	step := tickStep(w.length() / 20)
	t := tickLabel(sc, w.from, step) + " " + sc.Glyphs.Ellipsis + " " + tickLabel(sc, w.to, step) + "   "
	switch {
	case v.axis.fit:
		return []term.Seg{term.S(term.Plain, t), term.S(sc.Theme.Dim, "all of it")}
	case v.axis.ends:
		return []term.Seg{term.S(term.Plain, t), term.S(sc.Theme.Ok, sc.Glyphs.Live), term.S(term.Plain, " the end")}
	}
	all := v.extent(sc)
	of := " of " + tickLabel(sc, all.to, tickStep(all.length()/20))
	return []term.Seg{term.S(term.Plain, t[:len(t)-3]), term.S(sc.Theme.Dim, of)}
}

// told gives the times of the selected row exactly.
func (v *View) Told(h view.Host) safe.Text {
	row := v.selected(h.Rows())
	if row == nil {
		return ""
	}
	rec, sc := h.Scope().Rec, h.Scene()
	dot := " " + sc.Glyphs.Dot + " "
	t := "#" + safe.Int(int(row.Request)) + dot + term.Seconds(max(0, row.T-sc.Base)) + "s"
	if term.Wide(sc.Width) {
		t += " (" + safe.Time(rec.Started.Add(time.Duration(row.T)).Local(), "15:04:05.000") + ")"
	}
	switch {
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		return t
	case library.Unfinished(row) && rec.Live:
		return t + dot + "pending for " + term.Duration(library.Elapsed(sc.Now, rec, row.T))
	case library.Unfinished(row):
		return t + dot + "no response"
	case row.End == 0:
		return t + dot + "given up"
	}
	if row.First > row.T && row.First < row.End {
		t += dot + "first byte +" + exactly(row.First-row.T)
	}
	return t + dot + "end " + term.Seconds(max(0, row.End-sc.Base)) + "s" + dot + "took " + exactly(row.Latency())
}

// exactly writes nanoseconds to the microsecond.
func exactly(ns int64) safe.Text {
	return safe.Line(time.Duration(ns).Round(time.Microsecond).String())
}
