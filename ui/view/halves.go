package view

// Halves are a list and, below it or in its place, more about the line that is selected.
// One of them has the keys.
type Halves struct {
	Lines, Below Scroller
	Reading      bool // what is below has the keys
	BelowAt      int  // the line where it begins: behind the last where it is not shown
}

// Scroller implements View.
func (v *Halves) Scroller() *Scroller {
	if v.Reading {
		return &v.Below
	}
	return &v.Lines
}

// ScrollerAt implements Split.
func (v *Halves) ScrollerAt(_, y int) *Scroller {
	if y >= v.BelowAt {
		return &v.Below
	}
	return &v.Lines
}

// Turn gives the keys to the other half.
func (v *Halves) Turn() { v.Reading = !v.Reading }

// Back implements Backer: it leads from below to the list.
func (v *Halves) Back() bool {
	was := v.Reading
	v.Reading = false
	return was
}
