package sessions

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	activity    = 8 // cells of it that are drawn
	callsColumn = 4 // where what is wrong with a recording stands instead of numbers
)

func (v *View) table(sc *library.Scene) *term.Table[*row] {
	head := func(t safe.Text, of sorting) safe.Text {
		if of == v.sort {
			return t + sc.Glyphs.Falling
		}
		return t
	}
	dated, started := v.group != byDay, 8 // what is shown by day needs no dates
	if dated {
		started = len("01-02 15:04")
	}
	return &term.Table[*row]{
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
			{Head: head("CLIENT", clientName), Min: 16, Flex: 1, Draw: func(l *term.Line, r *row) {
				v.drawClient(l, sc, r)
			}},
			{Head: "SERVER", Rank: 2, Min: 14, Flex: 1, Draw: func(l *term.Line, r *row) { drawServer(l, sc, r) }},
			{Head: head("STARTED", newest), Rank: 1, Min: started, Gap: 1, Cell: func(r *row) term.Seg {
				return term.S(sc.Theme.Dim, clock(r, dated))
			}},
			{Head: head("CALLS", mostCalls), Rank: 1, Min: 6, Right: true, Cell: func(r *row) term.Seg {
				return r.calls(sc)
			}},
			{Head: head("ERR", mostErrors), Min: 4, Right: true, Cell: func(r *row) term.Seg { return r.errors(sc) }},
			{Head: "ACTIVITY", Rank: 3, Min: activity, Gap: 1, Draw: func(l *term.Line, r *row) {
				r.spark(l, sc, r.hue(sc.Theme), activity)
			}},
			{Head: "VERDICT", Min: 18, Flex: 3, Gap: 1, Draw: func(l *term.Line, r *row) { r.drawVerdict(l, sc) }},
		},
	}
}

// orders are what the columns of the table are ordered by.
var orders = map[int]sorting{0: clientName, 2: newest, 3: mostCalls, 4: mostErrors}
