package insight

import (
	"slices"
	"testing"
)

// What the latest calls of a tool were, how long all took, and how much came back.
func TestItemTotals(t *testing.T) {
	l := read(t, stdio).Items(Tool, Whole)
	edit := &l.Items[1]
	if len(edit.Last) != 2 || edit.Last[0] != 11 || edit.Last[1] != 14 || !slices.Equal(edit.Sessions, []int{0}) {
		t.Errorf("%+v", edit)
	}
	if edit.Took <= 0 || edit.Bytes <= 0 || l.Took < edit.Took || l.ResultBytes <= edit.Bytes {
		t.Errorf("took %d of %d, %d of %d bytes", edit.Took, l.Took, edit.Bytes, l.ResultBytes)
	}
	if got := lastOf([]uint64{9, 3}, 5, 1, 2, 4); !slices.Equal(got, []uint64{2, 3, 4, 5, 9}) {
		t.Error(got)
	}
}
