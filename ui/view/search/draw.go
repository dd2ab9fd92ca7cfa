package search

import (
	"time"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Draw implements view.View.
func (v *View) Draw(h view.Host, sc *library.Scene, w, height int) []string {
	p := term.Panel{Focus: true, Name: []term.Seg{term.S(sc.Theme.Key, "Search")}}
	if done, all := v.Progress(); all > 0 {
		p.State = []term.Seg{term.S(sc.Theme.Pend, "searching "+safe.Int(done*100/all)+"%")}
	}
	iw, ih := p.Inner(&sc.Screen, w, height)
	if len(v.hits) == 0 {
		v.lines.Fit(0, ih)
		l := term.NewLine(iw, sc.Glyphs).Gap(2)
		if v.goesOn() {
			l.Put(sc.Theme.Dim, "Nothing was found so far.")
		} else {
			l.Put(sc.Theme.Dim, "No message contains this text.")
		}
		return p.Draw(&sc.Screen, w, height, append(term.Blanks(1, iw), l.Finish()))
	}
	recs := map[string]*library.Recording{}
	for _, r := range sc.All {
		recs[r.ID] = r
	}
	return view.Rows(&p, v.table(sc, recs), &v.lines, len(v.hits), func(i int) *Hit { return &v.hits[i] }, w, height)
}

func (v *View) table(sc *library.Scene, recs map[string]*library.Recording) *term.Table[*Hit] {
	th := sc.Theme
	return &term.Table[*Hit]{Screen: &sc.Screen, Columns: []term.Column[*Hit]{
		{Head: "WHEN", Rank: 3, Min: 14, Cell: func(x *Hit) term.Seg {
			r := recs[x.rec]
			if r == nil || r.Started.IsZero() {
				return term.Seg{}
			}
			return term.S(th.Dim, safe.Time(r.Started.Add(time.Duration(x.T)).Local(), "01-02 15:04:05"))
		}},
		{Head: "RECORDING", Rank: 1, Min: 8, Max: 18, Gap: 1, Cell: func(x *Hit) term.Seg {
			if r := recs[x.rec]; r != nil {
				return term.S(term.Bold, r.Name())
			}
			return term.S(th.Dim, safe.Line(x.rec))
		}},
		{Head: "#", Min: 4, Gap: 1, Right: true, Cell: func(x *Hit) term.Seg {
			return term.S(th.Dim, safe.Int(int(x.N)))
		}},
		{Head: "", Min: term.Width(sc.Glyphs.Req), Cell: func(x *Hit) term.Seg {
			switch x.Dir {
			case wire.ToServer:
				return term.S(th.ToServer, sc.Glyphs.Req)
			case wire.ToClient:
				return term.S(th.ToClient, sc.Glyphs.Ans)
			}
			return term.S(th.Dim, sc.Glyphs.Dot)
		}},
		{Head: "MESSAGE", Rank: 2, Min: 8, Max: 16, Cell: func(x *Hit) term.Seg {
			return term.S(term.Plain, safe.Line(x.Name))
		}},
		{Head: "TEXT", Min: 12, Flex: 1, Gap: 1, Draw: func(l *term.Line, x *Hit) { around(l, th, x) }},
	}}
}

// around draws the hit where it can be seen, with as much before it as leaves room behind it.
func around(l *term.Line, th *term.Theme, x *Hit) {
	before, hit := safe.Line(x.Before), safe.Line(x.Text)
	room := l.Max - l.Used
	if over := term.Width(before) + term.Width(hit) - room*2/3; over > 0 {
		before = term.CutLeft(before, min(over+term.Width(l.Glyphs.Ellipsis), term.Width(before)), l.Glyphs.Ellipsis)
	}
	l.Put(term.Plain, before).Put(th.Hit, hit).Put(term.Plain, safe.Line(x.After))
}
