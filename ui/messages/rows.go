package messages

import (
	"slices"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/term"
)

// Rows is the list of messages for those who only read it.
type Rows struct{ l *List }

// Rows lends the list to those who only read it.
func (l *List) Rows() Rows { return Rows{l} }

// IDs are the rows that are shown, or the frames, in the order of the list. They
// may not be changed, nor kept until the list does.
func (r Rows) IDs() []uint32 { return r.l.Visible }

// Edits is another number when IDs are others than before, but for what was
// added at their end.
func (r Rows) Edits() int { return r.l.Edits }

// Frames says whether ids are those of frames, and not rows.
func (r Rows) Frames() bool { return r.l.RawFrames }

// Filtered says whether a filter leaves some out.
func (r Rows) Filtered() bool { return r.l.Query != nil }

// Following says whether the newest row is selected as it comes.
func (r Rows) Following() bool { return r.l.Follow }

// Query is the filter, nil for none.
func (r Rows) Query() *query.Query { return r.l.Query }

// Searching says whether payloads are still to be searched, Searched how much
// of them was.
func (r Rows) Searching() bool { return r.l.Searching() }

// Searched says how far the search in payloads has come.
func (r Rows) Searched() safe.Text { return r.l.Searched() }

// Failed is the number of messages of which the filter could not say whether it
// keeps them, and why for the first.
func (r Rows) Failed() (n int, why string) { return r.l.Search.Failed, r.l.Search.Why }

// Total is how many there are in the scope.
func (r Rows) Total() int { return r.l.Total() }

// Progress is the share of them that the filter has looked at, 0 to 1.
func (r Rows) Progress() float64 { return r.l.Progress() }

// Scanned says whether that is all.
func (r Rows) Scanned() bool { return r.l.Scanned >= r.l.Total() }

// Looked says whether the filter has come to a row.
func (r Rows) Looked(row uint32) bool {
	return r.l.Query == nil || r.Scanned() || row <= r.l.Last
}

// Selected is the selected id.
func (r Rows) Selected() (id uint32, ok bool) { return r.l.Selected() }

// Chosen is the id that was selected last, which may not be among those shown.
func (r Rows) Chosen() uint32 { return r.l.Selection }

// Index is the position of the selected id, -1 when there is none.
func (r Rows) Index() int { return r.l.SelectedIndex() }

// Nearest is the position of an id, or of the nearest one before it.
func (r Rows) Nearest(id uint32) int { return r.l.Nearest(id) }

// Has says whether a row is shown. Frames must not be.
func (r Rows) Has(row uint32) bool {
	if r.l.Query == nil {
		return r.l.InScope(row)
	}
	_, ok := slices.BinarySearch(r.l.Visible, row)
	return ok
}

// Headings draws the line with the names of the columns.
func (r Rows) Headings(sc *library.Scene, look *Look) string {
	return DrawHeadings(term.NewLine(look.Width, sc.Glyphs), sc.Theme, r.l.Columns(sc, look.Width), r.l)
}

// DrawRow draws a row of the recording as the list does; prev is the one above it.
// The list must not be one of frames.
func (r Rows) DrawRow(sc *library.Scene, look *Look, row, prev int, chosen bool) string {
	col := r.l.Columns(sc, look.Width)
	c := RowCells(sc, r.l.Rec, row, r.l.Rec.Tracker.Row(prev).T)
	return DrawRow(col.NewRow(sc, look, chosen), sc, col, &c)
}
