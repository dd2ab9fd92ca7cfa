package library

import (
	"strings"
	"testing"

	"midwire/session/defect"
	"midwire/ui/term"
)

// TestDrawRow: a row that cannot be drawn is one line that says so, as wide as the
// others.
func TestDrawRow(t *testing.T) {
	th, sg := term.NoColour(), term.ASCII()
	told := 0
	sc := &Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}, Failed: func(*defect.Defect) { told++ }}
	if got := sc.DrawRow(20, func() string { return "fine" }); got != "fine" || told != 0 {
		t.Errorf("%q, told %d", got, told)
	}
	got := sc.DrawRow(60, func() string { panic("a row that lost its way") })
	if !strings.Contains(got, "this row cannot be drawn") || told != 1 {
		t.Errorf("%q, told %d", got, told)
	}
}
