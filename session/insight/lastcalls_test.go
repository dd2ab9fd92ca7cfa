package insight

import (
	"slices"
	"testing"
)

// A course is as fine as its time allows, and loses nothing when it gets coarser.

// What the latest calls of a tool were, how long all took, and how much came back.
func TestItemTotals(t *testing.T) {
	l := read(t, stdio).Items(Tool, Whole)
	edit := &l.Items[1]
	if len(edit.Last) != 2 || edit.Last[0].N != 11 || edit.Last[1].N != 14 || !slices.Equal(edit.Sessions, []int{0}) {
		t.Errorf("%+v", edit)
	}
	if edit.Took <= 0 || edit.Bytes <= 0 || l.Took < edit.Took || l.ResultBytes <= edit.Bytes {
		t.Errorf("took %d of %d, %d of %d bytes", edit.Took, l.Took, edit.Bytes, l.ResultBytes)
	}
	if got := lastOf([]LastCall{{N: 9}, {N: 3}}, LastCall{N: 5}, LastCall{N: 1}, LastCall{N: 2}, LastCall{N: 4}); len(got) != MaxLast || got[0].N != 2 || got[4].N != 9 {
		t.Error(got)
	}
}
