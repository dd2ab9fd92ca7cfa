package messages

import (
	"cmp"
	"slices"

	"midwire/session/diagnose"
	"midwire/ui/library"
	"midwire/ui/term"
)

// AllScanned says whether the filter has looked at all there is.
func (l *List) AllScanned() bool { return l.Scanned >= l.Total() }

// Looked says whether the filter has come to a row.
func (l *List) Looked(row uint32) bool {
	return l.Query == nil || l.AllScanned() || row <= l.Last
}

// Has says whether a row is shown.
func (l *List) Has(row uint32) bool {
	if l.Query == nil {
		return l.InScope(row)
	}
	_, ok := slices.BinarySearch(l.Visible, row)
	return ok
}

// Headings draws the line with the names of the columns.
func (l *List) Headings(sc *library.Scene, look *Look) string {
	return l.columns(sc, look.Width, nil).headings(&l.Order)
}

// DrawRow draws a row of the recording as the list does.
func (l *List) DrawRow(sc *library.Scene, look *Look, row int, chosen bool) string {
	c := RowCells(sc, l.Rec, row)
	return l.columns(sc, look.Width, nil).Row(&c, chosen, look.Focus)
}

type failure struct {
	toFailure bool // the first failure is still to be selected
	opened    int  // 1 + the row of the failure that the list was opened at, 0 for none
}

// Open begins at the first failure of what has ended, as soon as it is known and unless
// something else is chosen before.
func (l *List) Open() {
	l.Selection, l.Top, l.opened = 0, 0, 0
	l.toFailure = l.Rec != nil && !l.Rec.Live
}

// openAtFailure selects the first row that failed, if what is shown does not work.
func (l *List) openAtFailure() {
	l.toFailure = false
	for i, id := range l.Visible {
		row := l.Rec.Tracker.Row(int(id))
		if !row.Ending.Bad() || row.Session < 0 {
			continue
		}
		switch l.Rec.VerdictOf(int(row.Session)).Outcome {
		case diagnose.Failed, diagnose.Impaired:
			l.Choose(id)
			l.PutOnLine(l.Height / 2)
			l.opened = int(l.Visible[i]) + 1
			return
		}
	}
}

// Held are the rows that wait at the gate, the oldest first.
func (l *List) Held() (rows []int) {
	if l.Rec == nil {
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
		c := RowCells(sc, l.Rec, row)
		out = append(out, col.Row(&c, false, false))
	}
	for range look.Above - 2 - n {
		out = append(out, term.NewLine(look.Width, sc.Glyphs).Finish())
	}
	following := term.NewLine(look.Width, sc.Glyphs).Gap(1).Put(th.Dim+term.Bold, "ALL").Gap(1)
	return append(out, following.Fill(th.Frame, sc.Glyphs.H, look.Width-1).Finish())
}
