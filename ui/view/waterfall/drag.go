package waterfall

import (
	"cmp"
	"slices"

	"midwire/ui/view"
)

// drag is a time that the mouse draws out: from where its button went down, to where
// it is.
type drag struct {
	on       bool
	moved    bool
	overview bool    // on all of the time, which the window follows at once
	from, to float64 // in columns among the bars, or moments of the overview
}

var _ view.Dragger = (*View)(nil)

// Drags implements view.Dragger.
func (v *View) Drags() bool { return v.drag.on }

// press begins a drag where a click was among the bars, or in the overview, where the
// ends of the window can be taken hold of.
func (v *View) press(h view.Host, x, y int) {
	v.drag = drag{}
	if c := v.bars; x >= c.x && x < c.x+c.w && y >= c.top && y < c.top+v.lines.Height {
		at := float64(x - c.x)
		v.drag = drag{on: true, from: at, to: at}
	}
	if c := v.whole; c.w > 0 && x >= c.x && x < c.x+c.w && y >= c.top && y < c.top+overviewLines {
		all := v.extent(h.Scene())
		w, cell := v.axis.window(all), all.length()/float64(c.w)
		at := v.overviewTime(h, x)
		v.drag = drag{on: true, overview: true, from: at, to: at}
		switch {
		case v.axis.fit:
		case at-w.from < 1.5*cell && w.from-at < 1.5*cell:
			v.drag.from = w.to
		case at-w.to < 1.5*cell && w.to-at < 1.5*cell:
			v.drag.from = w.from
		}
	}
}

// overviewTime is the moment at a column of the screen in the overview.
func (v *View) overviewTime(h view.Host, x int) float64 {
	all := v.extent(h.Scene())
	return all.from + (float64(x-v.whole.x)+0.5)/float64(v.whole.w)*all.length()
}

// Drag implements view.Dragger: the time between is what is shown in the end.
func (v *View) Drag(h view.Host, x, _ int, end bool) {
	d := &v.drag
	if d.overview {
		d.to = v.overviewTime(h, max(v.whole.x, min(x, v.whole.x+v.whole.w-1)))
	} else {
		d.to = float64(max(0, min(x-v.bars.x, v.bars.w-1)))
	}
	d.moved = d.moved || d.to != d.from
	a, b := min(d.from, d.to), max(d.from, d.to)
	if !d.overview {
		a, b = v.drawn.time(a), v.drawn.time(b+1)
	}
	if d.moved && (end || d.overview) && (d.overview || d.to != d.from) && b > a {
		all := v.extent(h.Scene())
		v.axis = axis{extent: extent{a, max(b, a+shortestTime)}}
		v.axis.keep(all)
		v.selectInside(h)
	}
	if end {
		*d = drag{}
	}
}

// dragged is the time that is drawn out among the bars, and its columns.
func (v *View) dragged() (a, b int, length float64, ok bool) {
	d := &v.drag
	if !d.on || d.overview || d.from == d.to {
		return 0, 0, 0, false
	}
	from, to := min(d.from, d.to), max(d.from, d.to)
	return int(from), int(to), v.drawn.time(to+1) - v.drawn.time(from), true
}

// time is the moment at a column.
func (s *scale) time(column float64) float64 {
	i, on := slices.BinarySearchFunc(s.parts, column, func(p part, c float64) int { return cmp.Compare(p.column, c) })
	if !on {
		i = max(i-1, 0)
	}
	p := s.parts[i]
	return min(p.from+(column-p.column)*s.unit, p.to)
}
