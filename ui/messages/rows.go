package messages

import (
	"slices"

	"midwire/ui/library"
)

// Frames says whether ids are those of frames, and not rows.
func (l *List) Frames() bool { return l.RawFrames }

// AllScanned says whether the filter has looked at all there is.
func (l *List) AllScanned() bool { return l.Scanned >= l.Total() }

// Looked says whether the filter has come to a row.
func (l *List) Looked(row uint32) bool {
	return l.Query == nil || l.AllScanned() || row <= l.Last
}

// Has says whether a row is shown. The list must not be one of frames.
func (l *List) Has(row uint32) bool {
	if l.Query == nil {
		return l.InScope(row)
	}
	_, ok := slices.BinarySearch(l.Visible, row)
	return ok
}

// Headings draws the line with the names of the columns.
func (l *List) Headings(sc *library.Scene, look *Look) string {
	return l.Columns(sc, look.Width).headings(&l.Order)
}

// DrawRow draws a row of the recording as the list does; prev is the one above it.
// The list must not be one of frames.
func (l *List) DrawRow(sc *library.Scene, look *Look, row, prev int, chosen bool) string {
	c := RowCells(sc, l.Rec, row, l.Rec.Tracker.Row(prev).T)
	return l.Columns(sc, look.Width).Row(&c, chosen, look.Focus)
}
