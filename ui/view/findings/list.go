package findings

import (
	"time"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (p *View) drawList(sc *library.Scene, w, h int) []string {
	if h == 0 {
		return nil
	}
	pane := term.Panel{Name: p.name(sc, partList, "Findings"), Focus: p.focus == partList}
	iw, ih := pane.Inner(&sc.Screen, w, h)
	if len(p.Entries) == 0 {
		return pane.Draw(&sc.Screen, w, h, p.drawNoFindings(sc, iw))
	}
	all := func(i int) int { return i }
	body := view.Lines(p.table(sc), &p.lines, len(p.Entries), all, iw, ih, pane.Focus)
	if n := p.lines.Lines; n > p.lines.Height {
		pane.Foot = []term.Seg{term.S(sc.Theme.Dim, term.Number(p.lines.Sel+1)+" of "+term.Number(n))}
		if !sc.Boxed {
			pane.State = append(pane.Foot, append([]term.Seg{term.S(term.Plain, "   ")}, pane.State...)...)
		}
	}
	return pane.Draw(&sc.Screen, w, h, body)
}

// table is the columns of the list, whose rows are known by their place.
func (p *View) table(sc *library.Scene) *term.Table[int] {
	th := sc.Theme
	return &term.Table[int]{
		Screen: &sc.Screen,
		Lead: func(i int) (term.Style, term.Seg) {
			e := &p.Entries[i]
			sign, st := sc.Severity(e.at)
			return e.rec.Hue(sc.Theme, e.session), term.S(st, sign)
		},
		Columns: []term.Column[int]{
			{Head: "CLIENT", Min: 8, Max: 18, Cell: func(i int) term.Seg {
				name, named := clientOf(&p.Entries[i])
				if !named {
					return term.S(th.Dim, name)
				}
				return term.S(p.Entries[i].rec.Hue(sc.Theme, p.Entries[i].session)+term.Bold, name)
			}},
			{Head: "SERVER", Rank: 2, Min: 10, Max: 18, Gap: 1, Cell: func(i int) term.Seg {
				name, seen := serverOf(&p.Entries[i])
				if !seen {
					return term.S(th.Dim, sc.Glyphs.Arrow+" "+name)
				}
				return term.S(term.Plain, sc.Glyphs.Arrow+" "+name)
			}},
			{Head: "FINDING", Min: 10, Max: 48, Flex: 1, Gap: 1, Draw: func(l *term.Line, i int) { p.drawTitle(l, sc, i) }},
			{Head: "TIMES", Min: 5, Right: true, Cell: func(i int) term.Seg {
				_, st := sc.Severity(p.Entries[i].at)
				return term.S(st, term.Number(p.Entries[i].seen)+sc.Glyphs.Times)
			}},
			{Head: "AT FAULT", Rank: 1, Min: 8, Gap: 1, Cell: func(i int) term.Seg {
				return term.S(p.textStyle(sc, i), fault(&p.Entries[i]))
			}},
			{Head: "LAST", Rank: 3, Min: 8, Gap: 1, Right: true, Cell: func(i int) term.Seg {
				return term.S(th.Dim, p.clock(sc, &p.Entries[i]))
			}},
		},
	}
}

// textStyle is what the words of a row are written in.
func (p *View) textStyle(sc *library.Scene, i int) term.Style {
	switch e := &p.Entries[i]; {
	case i == p.lines.Sel:
		return term.Bold
	case e.depth > 0:
		return sc.Theme.Dim
	}
	return term.Plain
}

// drawTitle says what was found, and how many rows follow from it.
func (p *View) drawTitle(l *term.Line, sc *library.Scene, i int) {
	e, th := &p.Entries[i], sc.Theme
	title, count := safe.Line(e.rule.Title), safe.Text("")
	switch {
	case e.depth > 0:
		l.Gap(2*e.depth-2).Put(th.Frame, sc.Glyphs.Child).Gap(1)
	case e.follows > 0:
		fold := sc.Glyphs.Folded
		if e.opened {
			fold = sc.Glyphs.Open
		}
		l.Put(th.Key, fold).Gap(1)
		count = "  +" + safe.Int(e.follows)
	}
	l.Put(p.textStyle(sc, i), term.ShortenWords(title, l.Max-l.Used-term.Width(count), sc.Glyphs)).Put(th.Dim, count)
}

// clientOf names the client of a row; false when it did not say its name.
func clientOf(e *entry) (safe.Text, bool) {
	f := e.list[0]
	name := f.Rec.SessionName(f.Session)
	s := f.Rec.Session(f.Session)
	return name, s != nil && (s.Client.Name != "" || name != library.NoName)
}

// serverOf names the server of a row; false when it did not say its name.
func serverOf(e *entry) (safe.Text, bool) {
	f := e.list[0]
	if s := f.Rec.Session(f.Session); s != nil && s.Server.Name != "" {
		return safe.Line(s.Server.Name), true
	}
	return "not seen", false
}

func fault(e *entry) safe.Text { return safe.Line(e.list[0].Side.String()) }

// clock is when a row showed last: the time of the day, or the day.
func (p *View) clock(sc *library.Scene, e *entry) safe.Text {
	rec := e.rec
	at := rec.Started.Add(time.Duration(e.last)).Local()
	if rec.Started.IsZero() {
		return ""
	}
	if y, m, d := at.Date(); !sc.Now.IsZero() {
		if ny, nm, nd := sc.Now.Local().Date(); y != ny || m != nm || d != nd {
			return safe.Time(at, "2006-01-02")[2:]
		}
	}
	return safe.Time(at, "15:04:05")
}
