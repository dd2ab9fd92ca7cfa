package waterfall

import (
	"math"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

const (
	slotCount = 1024
	hueSlots  = 8 // sessions beyond have the hues of those before
)

// histogram counts rows over all of the time. Its slots get wider as time goes
// on: there are never more of them.
type histogram struct {
	from  int64
	shift uint // the width of a slot is a power of two
	slots []slot
}

// slot is a part of the time: how much began in it, by the hue of its session,
// the last for none.
type slot struct {
	n      int
	by     [hueSlots + 1]uint32
	failed bool
}

func (s *slot) join(o *slot) {
	s.n += o.n
	for i := range s.by {
		s.by[i] += o.by[i]
	}
	s.failed = s.failed || o.failed
}

// most is the session that the slot has the hue of.
func (s *slot) most() int {
	best := hueSlots
	for i := range hueSlots {
		if s.by[i] > s.by[best] || best == hueSlots && s.by[i] > 0 {
			best = i
		}
	}
	if best == hueSlots {
		return library.AllSessions
	}
	return best
}

func (h *histogram) at(t int64) *slot {
	if h.slots == nil {
		*h = histogram{from: t, shift: 10, slots: make([]slot, slotCount)}
	}
	t = max(0, t-h.from)
	for t>>h.shift >= slotCount {
		for i := range slotCount / 2 {
			h.slots[i] = h.slots[2*i]
			h.slots[i].join(&h.slots[2*i+1])
		}
		clear(h.slots[slotCount/2:])
		h.shift++
	}
	return &h.slots[t>>h.shift]
}

func (h *histogram) add(row *session.Row) {
	s := h.at(max(row.T, 0))
	s.n++
	if row.Session >= 0 {
		s.by[row.Session%hueSlots]++
	} else {
		s.by[hueSlots]++
	}
	s.failed = s.failed || row.Ending.Bad()
}

func (h *histogram) spread(all extent, columns int) []slot {
	out := make([]slot, columns)
	for i := range h.slots {
		if h.slots[i].n > 0 {
			at := (float64(h.from+int64(i)<<h.shift) - all.from) / all.length() * float64(columns)
			out[max(0, min(int(at), columns-1))].join(&h.slots[i])
		}
	}
	return out
}

const overviewLines = 2

// overview draws all of the time, and the window as a bracket below. It says
// where the columns stand.
func (v *View) overview(sc *library.Scene, w int) []string {
	p := sc.Theme.Panel("Overview")
	if sc.Boxed { // else the header says it
		p.State = v.windowState(sc)
	}
	if hints := overviewKeys(sc); term.SegsWidth(p.State)+term.SegsWidth(hints) < w-20 {
		p.State = append(p.State, hints...)
	}
	height := overviewLines + 1
	if sc.Boxed {
		height++
	}
	iw, _ := p.Inner(&sc.Screen, w, height)
	x, y := p.Origin(&sc.Screen)
	all := v.extent(sc)
	step := tickStep(all.length() / 20)
	from, to := tickLabel(sc, all.from, step), tickLabel(sc, all.to, step)
	left := max(term.Width(from), 6) + 3
	columns := max(iw-left-max(term.Width(to), 6)-2, 1)
	v.whole = chart{x + left, y, columns}
	top, below := term.NewLine(iw, sc.Glyphs), term.NewLine(iw, sc.Glyphs)
	top.Gap(1).Put(sc.Theme.Dim, from).Gap(left - top.Used)
	v.profile(top, sc, all, columns)
	top.Gap(1).Put(sc.Theme.Dim, to)
	win := v.axis.window(all)
	a := int((win.from - all.from) / all.length() * float64(columns))
	b := max(a+2, int((win.to-all.from)/all.length()*float64(columns)+0.5))
	a, b = max(0, min(a, columns-2)), min(b, columns)
	open, line, shut := safe.Text("╰"), safe.Text("━"), safe.Text("╯")
	if sc.ASCII {
		open, line, shut = "[", "=", "]"
	}
	below.Gap(left).Fill(sc.Theme.Frame, sc.Glyphs.H, left+a)
	below.Put(sc.Theme.Focus, open).Fill(sc.Theme.Focus, line, left+b-1).Put(sc.Theme.Focus, shut)
	below.Fill(sc.Theme.Frame, sc.Glyphs.H, left+columns)
	return p.Draw(&sc.Screen, w, height, []string{top.Finish(), below.Finish()})
}

func (v *View) profile(l *term.Line, sc *library.Scene, all extent, columns int) {
	slots, most := v.past.spread(all, columns), 1
	for i := range slots {
		most = max(most, slots[i].n)
	}
	bars := sc.Glyphs.Bars[2:]
	for i := range slots {
		s := &slots[i]
		bar := bars[int(math.Sqrt(float64(s.n)/float64(most))*float64(len(bars)-1))] // bursts hide nothing
		switch {
		case s.n == 0:
			l.Put(sc.Theme.Frame, sc.Glyphs.Bars[0])
		case s.failed:
			l.Put(sc.Theme.Err, bar)
		default:
			l.Put(v.Rec.Hue(sc.Theme, s.most()), bar)
		}
	}
}

func overviewKeys(sc *library.Scene) (out []term.Seg) {
	keys := [][2]safe.Text{{"← →", "move"}, {"+ -", "zoom"}, {"0", "all"}}
	if sc.ASCII {
		keys[0][0] = "h l"
	}
	for _, k := range keys {
		out = append(out, term.S(sc.Theme.Key, "   "+k[0]), term.S(sc.Theme.Dim, " "+k[1]))
	}
	return out
}

// clickOverview moves the window to where all of the time was clicked.
func (v *View) clickOverview(h view.Host, x int) {
	all := v.extent(h.Scene())
	w := v.axis.window(all)
	n := w.length()
	if v.axis.fit {
		n = max(n/8, shortestTime)
	}
	at := all.from + (float64(x-v.whole.x)+0.5)/float64(v.whole.w)*all.length()
	v.axis = axis{extent: extent{at - n/2, at + n/2}}
	v.axis.keep(all)
	v.selectInside(h)
}
