package term

import (
	"slices"

	"midwire/session/safe"
)

// Column is one column of a table of rows R.
type Column[R any] struct {
	Head  safe.Text
	Rank  int  // how far down it is in importance: those of 0 are always shown
	Min   int  // cells; where there is no room for these, the column is left out
	Need  int  // cells that its rows need where that is known; else they are measured
	Max   int  // cells that it grows to for what is in it, 0 for Min; without Min it is left out where that is nothing
	Flex  int  // its share of what all others leave
	Gap   int  // blanks before it besides the one that every column has; the first has none
	Right bool // numbers
	// Over is how many columns behind it a cell takes as well, nil for none.
	Over func(R) int
	// Cell is what a row has in it; Draw writes it where that is more than one
	// segment: the line ends with the cell.
	Cell func(R) Seg
	Draw func(*Line, R)
}

// NoBar is the bar of a row that has none.
const NoBar Style = "no bar"

// FromFirst is where a row begins that is one text; see Table.Rest.
const FromFirst = -1

// Table is rows and columns. It alone says which columns are shown at a width and
// how wide they are.
type Table[R any] struct {
	Screen  *Screen
	Columns []Column[R]
	// Lead is the bar at the left of a row and the sign beside it, Hue the bar alone.
	// Without either a bar stands before the selected row.
	Lead  func(R) (bar Style, sign Seg)
	Hue   func(R) Style
	Tight bool // the sign stands beside the bar
	// Rest is a text that a row has from a column on instead of all others, FromFirst
	// for a row that has nothing else; 0 for none.
	Rest func(R) (from int, text Seg)

	w     int
	n     int
	row   func(int) R
	cells []int // of the columns, -1 where one is left out
}

// measured is how many rows say how wide a column must be.
const measured = 200

// Fit chooses columns and their widths for lines of w cells and n rows. The most
// important ones come first: each gets what it needs for what is in it, up to its
// Max, before the next is shown at all.
func (t *Table[R]) Fit(w, n int, row func(i int) R) *Table[R] {
	t.w, t.n, t.row, t.cells = w, n, row, make([]int, len(t.Columns))
	for i := range t.cells {
		t.cells[i] = -1
	}
	room := w - t.lead() - 1 // the last cell stays free
	for rank, more := 0, true; more; rank++ {
		room, more = t.place(rank, room)
	}
	t.share(room)
	return t
}

// place shows the columns of a rank in what is left of a line, as far as there is room
// for them. More says whether there are columns of a higher rank, and room.
func (t *Table[R]) place(rank, room int) (left int, more bool) {
	var shown []int
	for i := range t.Columns {
		c := &t.Columns[i]
		need := c.Min + 1 + c.Gap
		switch {
		case c.Rank > rank:
			more = true
		case c.Rank < rank:
		case c.Min == 0 && c.Max > 0 && t.widest(c) == 0: // nothing stands in it
		case rank > 0 && need > room:
			return t.grow(shown, room), false
		default:
			t.cells[i] = c.Min
			room -= need
			shown = append(shown, i)
		}
	}
	return t.grow(shown, room), more
}

// grow gives columns what they need for what is in them.
func (t *Table[R]) grow(columns []int, room int) (left int) {
	for _, i := range columns {
		if c := &t.Columns[i]; c.Max > c.Min && room > 0 {
			more := min(t.widest(c)-c.Min, room)
			t.cells[i] += max(more, 0)
			room -= max(more, 0)
		}
	}
	return room
}

// lead is what stands before the first column.
func (t *Table[R]) lead() int {
	switch {
	case t.Lead != nil && t.Tight:
		return 2
	case t.Lead != nil:
		return 3
	}
	return 1
}

// share gives what is left to the columns that want it. Where too much is taken
// already, they give way.
func (t *Table[R]) share(room int) {
	if i := slices.IndexFunc(t.cells, func(n int) bool { return n >= 0 }); i >= 0 {
		room += t.Columns[i].Gap // which the first one has not
	}
	all := 0
	for i := range t.Columns {
		if t.cells[i] >= 0 {
			all += t.Columns[i].Flex
		}
	}
	for i := range t.Columns {
		if flex := t.Columns[i].Flex; flex > 0 && t.cells[i] >= 0 {
			more := room * flex / all
			t.cells[i] = max(t.cells[i]+more, 0)
			room, all = room-more, all-flex
		}
	}
}

// widest is how many cells the rows need in a column.
func (t *Table[R]) widest(c *Column[R]) int {
	if c.Need > 0 {
		return min(max(c.Need, Width(c.Head)), c.Max)
	}
	n, row := min(t.n, measured), t.row
	cells := Width(c.Head)
	for i := range n {
		if t.Rest != nil {
			if at, _ := t.Rest(row(i)); at != 0 {
				continue
			}
		}
		if c.Cell != nil {
			cells = max(cells, Width(c.Cell(row(i)).Text))
			continue
		}
		l := NewLine(c.Max, t.Screen.Glyphs)
		c.Draw(l, row(i))
		cells = max(cells, l.Used)
	}
	return min(cells, c.Max)
}

// Shows says whether there is room for the column of a name.
func (t *Table[R]) Shows(head safe.Text) bool {
	i := slices.IndexFunc(t.Columns, func(c Column[R]) bool { return c.Head == head })
	return i >= 0 && t.cells[i] >= 0
}

// Cells is how many cells a column has, 0 where it is left out.
func (t *Table[R]) Cells(i int) int { return max(t.cells[i], 0) }

// At is the column at a cell of a line, -1 for none.
func (t *Table[R]) At(x int) int {
	at := t.lead()
	for i := range t.Columns {
		if t.cells[i] < 0 {
			continue
		}
		if at > t.lead() {
			at += t.Columns[i].Gap
		}
		if at += 1 + t.cells[i]; x < at && x >= t.lead() {
			return i
		}
	}
	return -1
}

// Header is the line with the names of the columns.
func (t *Table[R]) Header() string {
	l := NewLine(t.w, t.Screen.Glyphs)
	l.Gap(t.lead())
	for i := range t.Columns {
		c := &t.Columns[i]
		t.cell(l, i, 0, func() { l.aligned(t.Screen.Theme.Faint, c.Head, t.cells[i], c.Right) })
	}
	return l.Finish()
}

// Lines is the header and every row.
func (t *Table[R]) Lines() []string {
	out := []string{t.Header()}
	for i := range t.n {
		out = append(out, t.Row(t.row(i), false, false))
	}
	return out
}

// Row is the line of a row.
func (t *Table[R]) Row(r R, selected, focus bool) string {
	l := NewLine(t.w, t.Screen.Glyphs)
	if selected {
		l.Selected(t.Screen.Theme, focus)
	}
	if t.Lead != nil {
		bar, sign := t.Lead(r)
		if bar != NoBar {
			l.Put(bar, t.Screen.Glyphs.Edge)
		}
		l.Gap(t.lead()-1-l.Used).Put(sign.Style, sign.Text)
	} else if t.Hue != nil {
		if hue := t.Hue(r); hue != NoBar {
			l.Put(hue, t.Screen.Glyphs.Edge)
		}
	} else if selected {
		l.Put(t.Screen.Theme.Key, t.Screen.Glyphs.Bar)
	}
	l.Gap(t.lead() - l.Used)
	from, rest := len(t.Columns), Seg{}
	if t.Rest != nil {
		if at, text := t.Rest(r); at != 0 {
			from, rest = max(at, 0), text
		}
	}
	for i := 0; i < from; i++ {
		c, over := &t.Columns[i], 0
		if c.Over != nil && t.cells[i] >= 0 {
			over = c.Over(r)
		}
		t.cell(l, i, over, func() {
			if c.Draw != nil {
				c.Draw(l, r)
				return
			}
			s := c.Cell(r)
			l.aligned(s.Style, s.Text, t.cells[i], c.Right)
		})
		i += over
	}
	if rest.Text != "" {
		l.Gap(1+min(from, 1)).PutMax(rest.Style, rest.Text, l.Max-l.Used-1)
	}
	return l.Finish()
}

// cell has a cell written in the cells that its column has, and over columns behind it.
func (t *Table[R]) cell(l *Line, i, over int, write func()) {
	if t.cells[i] < 0 {
		return
	}
	if l.Used > t.lead() {
		l.Gap(t.Columns[i].Gap)
	}
	end, all := l.Gap(1).Used+t.cells[i], l.Max
	for k := i + 1; k <= i+over; k++ {
		if t.cells[k] >= 0 {
			end += t.Columns[k].Gap + 1 + t.cells[k]
		}
	}
	l.Max = min(end, all)
	write()
	l.Max = all
	l.Gap(end - l.Used)
}

func (l *Line) aligned(st Style, t safe.Text, n int, right bool) {
	if right {
		l.Right(st, t, n)
		return
	}
	l.PutMax(st, t, n)
}
