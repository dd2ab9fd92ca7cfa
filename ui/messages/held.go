package messages

import (
	"cmp"
	"slices"

	"midwire/ui/library"
	"midwire/ui/term"
)

// Held are the rows that wait at the gate, the oldest first.
func (l *List) Held() (rows []int) {
	if l.Rec == nil || l.RawFrames {
		return nil
	}
	held := l.Rec.Held
	for row := range held {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(held[a].Compare(held[b]), cmp.Compare(a, b)) })
	return rows
}

// HeldAt is the row that stands in a line above the list, -1 for none.
func (l *List) HeldAt(line int) int {
	if all := l.Held(); line >= 1 && line <= len(all) {
		return all[line-1]
	}
	return -1
}

// drawHeld draws what waits at the gate, above the list.
func (l *List) drawHeld(sc *library.Scene, look *Look, col *Columns) (out []string) {
	all := l.Held()
	if look.Above < 3 || len(all) == 0 {
		return nil
	}
	th, n := sc.Theme, min(look.Above-2, len(all))
	head := term.NewLine(look.Width, sc.Glyphs).Gap(1).Put(th.Warn+term.Bold, "HELD "+term.Number(len(all))).Gap(1)
	if n < len(all) {
		head.Gap(1).Put(th.Dim, "the oldest "+term.Number(n)+" ")
	}
	keys := []term.Seg{term.S(th.Key, " I"), term.S(th.Dim, " decide  "), term.S(th.Key, "ctrl+g"), term.S(th.Dim, " release all ")}
	end := look.Width - 1 - term.SegsWidth(keys)
	out = append(out, head.Fill(th.Frame, sc.Glyphs.H, end).Segs(keys).Finish())
	for _, row := range all[:n] {
		c := RowCells(sc, l.Rec, row, l.Rec.Tracker.Row(row).T)
		out = append(out, col.Row(&c, false, false))
	}
	for range look.Above - 2 - n {
		out = append(out, term.NewLine(look.Width, sc.Glyphs).Finish())
	}
	following := term.NewLine(look.Width, sc.Glyphs).Gap(1).Put(th.Dim+term.Bold, "ALL").Gap(1)
	return append(out, following.Fill(th.Frame, sc.Glyphs.H, look.Width-1).Finish())
}
