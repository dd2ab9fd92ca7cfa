package insight

import (
	"slices"
	"testing"
)

// A course is as fine as its time allows, and loses nothing when it gets coarser.
func TestCourse(t *testing.T) {
	var c, other Course
	for i := range int64(100) {
		c.add(i*1e6, false)
	}
	c.add(99e6, true)
	other.add(3e9, false)
	c.join(&other)
	all, bad := c.Between(0, 3e9, 10)
	if all[0] != 100 || all[9] != 1 || bad[0] != 1 {
		t.Error(all, bad)
	}
	var empty Course
	if all, _ := empty.Between(0, 0, 3); !slices.Equal(all, []int{0, 0, 0}) {
		t.Error(all)
	}
}

func TestSpread(t *testing.T) {
	got := spreadOf([]uint32{10, 1000, 1001, 2_000_000, 50_000_000})
	if got != (Spread{2, 1, 0, 0, 0, 0, 0, 1, 0, 1}) || got.Step(0) != 1e6 || got.Step(len(got)-1) != 0 {
		t.Error(got)
	}
}

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
	_, bad := edit.Course.Between(0, 1e9, 1)
	if bad[0] != 2 {
		t.Error(bad)
	}
	if got := lastOf([]LastCall{{N: 9}, {N: 3}}, LastCall{N: 5}, LastCall{N: 1}, LastCall{N: 2}, LastCall{N: 4}); len(got) != MaxLast || got[0].N != 2 || got[4].N != 9 {
		t.Error(got)
	}
}
