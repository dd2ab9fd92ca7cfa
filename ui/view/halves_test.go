package view

import "testing"

// TestHalves: keys and the wheel go to the half that they are for, and esc leads back to
// the list before it leaves the view.
func TestHalves(t *testing.T) {
	v := &Halves{BelowAt: 10}
	if v.ScrollerAt(0, 9) != &v.Lines || v.ScrollerAt(0, 10) != &v.Below {
		t.Error("the wheel scrolls the wrong half")
	}
	if v.Scroller() != &v.Lines || v.Back() {
		t.Error("the list has not the keys at first")
	}
	v.Turn()
	if v.Scroller() != &v.Below || !v.Back() || v.Scroller() != &v.Lines {
		t.Error("esc does not lead back to the list")
	}
}

// TestPickLine: a click selects a line, and says when it was selected already.
func TestPickLine(t *testing.T) {
	s := &Scroller{Lines: 5, Height: 3, Top: 1}
	if again, ok := s.PickLine(1); again || !ok || s.Sel != 2 {
		t.Errorf("again %v, ok %v, line %d", again, ok, s.Sel)
	}
	if again, ok := s.PickLine(1); !again || !ok {
		t.Errorf("again %v, ok %v", again, ok)
	}
	if _, ok := s.PickLine(3); ok {
		t.Error("a line below the screen was picked")
	}
}

// Rows that are made anew keep their selection, and what was scrolled stays.
func TestSelect(t *testing.T) {
	rows := []string{"a", "b", "c", "d"}
	s := Scroller{Sel: 1, Top: 2, Lines: 4, Height: 2}
	Select(&s, rows, func(r *string) bool { return *r == "b" })
	if s.Sel != 1 || s.Top != 2 {
		t.Errorf("nothing was to change: %+v", s)
	}
	Select(&s, rows, func(r *string) bool { return *r == "d" })
	Select(&s, rows, func(r *string) bool { return *r == "x" })
	if one := Selected(&s, rows); one == nil || *one != "d" {
		t.Errorf("%v is selected", one)
	}
	if Selected(&s, rows[:2]) != nil || Selected(&Scroller{Sel: -1}, rows) != nil {
		t.Error("a row is selected that is not there")
	}
}
