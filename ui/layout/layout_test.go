package layout

import (
	"fmt"
	"strings"
	"testing"

	"midwire/ui/term"
)

// named is a part of the screen that is drawn.
type named struct {
	name string
	term.Rect
}

// parts are the parts that are drawn, from top to bottom.
func (l *Layout) parts() (all []named) {
	for _, p := range []named{
		{"info", l.InfoPanel},
		{"life", l.Lifecycle},
		{"list", l.List},
		{"detail", l.Detail},
		{"view", l.View},
		{"status", l.Status},
		{"hints", l.Hints},
	} {
		if p.W > 0 && p.H > 0 {
			all = append(all, p)
		}
	}
	return all
}

// TestOf: what stands where, at the sizes that terminals have.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		w, h int
		Options
		want string
	}{
		{80, 24, Options{}, "life 80x1+0+1, list 80x15+0+2, detail 80x6+0+17, hints 80x1+0+23, 13 rows of 80"},
		{120, 36, Options{}, "life 120x4+0+1, list 120x21+0+5, detail 120x9+0+26, hints 120x1+0+35, 18 rows of 118"},
		{120, 36, Options{Held: 3}, "life 120x4+0+1, list 120x21+0+5, detail 120x9+0+26, hints 120x1+0+35, 13 rows of 118"},
		{120, 36, Options{Reading: true, Told: true}, "life 120x4+0+1, list 120x10+0+5, detail 120x19+0+15, status 120x1+0+34, hints 120x1+0+35, 7 rows of 118"},
		{120, 36, Options{Lines: 4}, "life 120x4+0+1, list 120x9+0+5, detail 120x21+0+14, hints 120x1+0+35, 6 rows of 118"},
		{120, 36, Options{Full: true}, "life 120x4+0+1, detail 120x30+0+5, hints 120x1+0+35"},
		{200, 50, Options{Sessions: 3}, "life 200x5+0+1, list 200x31+0+6, detail 200x12+0+37, hints 200x1+0+49, 28 rows of 198"},
		{200, 50, Options{Whole: true}, "view 200x48+0+1, hints 200x1+0+49"},
		{200, 50, Options{InfoPanel: true}, "info 200x48+0+1, hints 200x1+0+49"},
		{50, 24, Options{}, "list 50x22+0+1, status 50x1+0+23, 20 rows of 50"},
		{40, 8, Options{}, "list 40x6+0+1, status 40x1+0+7, 5 rows of 40"},
		{39, 24, Options{}, ""},
	} {
		l := Of(c.w, c.h, c.Options)
		var got []string
		for _, p := range l.parts() {
			got = append(got, fmt.Sprintf("%s %dx%d+%d+%d", p.name, p.W, p.H, p.X, p.Y))
		}
		if l.List.H > 0 {
			got = append(got, fmt.Sprintf("%d rows of %d", l.Rows(), l.ListWidth()))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%dx%d %+v:\n%s, want\n%s", c.w, c.h, c.Options, s, c.want)
		}
	}
}

// TestNothingOverlaps: whatever was chosen, each part
// is on the screen and lies over no other, and no line of it is lost.
func TestNothingOverlaps(t *testing.T) {
	for w := 1; w <= 210; w += 7 {
		for h := 1; h <= 60; h += 3 {
			for n := range 64 {
				o := Options{Reading: n/4%2 == 1, Told: n/8%2 == 1, Held: n / 16 * 40, Sessions: n % 5, Lines: n % 9}
				l := Of(w, h, o)
				covered := make([]int, h) // cells of each line
				for _, p := range l.parts() {
					if p.X < 0 || p.Y < 1 || p.X+p.W > w || p.Y+p.H > h {
						t.Fatalf("%dx%d %+v: %s is at %v", w, h, o, p.name, p.Rect)
					}
					for y := p.Y; y < p.Y+p.H; y++ {
						covered[y] += p.W
					}
				}
				if l.Tiny {
					continue
				}
				for y := 1; y < h; y++ {
					if covered[y] != w {
						t.Fatalf("%dx%d %+v: %d cells of line %d: %v", w, h, o, covered[y], y, l.parts())
					}
				}
				if l.Rows() < 1 || l.ListWidth() < 1 {
					t.Fatalf("%dx%d %+v: a list of %d rows of %d", w, h, o, l.Rows(), l.ListWidth())
				}
			}
		}
	}
}
