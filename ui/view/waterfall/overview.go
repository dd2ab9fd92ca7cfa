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

// profile is when the rows came, by the hue of their session, the last for none.
type profile struct {
	from, last int64 // of the first row, and since
	by         []term.Profile
}

// add counts n rows like one, or none if only its end is new.
func (p *profile) add(row *session.Row, n int) {
	t := max(row.T, 0)
	if p.by == nil {
		p.from = t
		for range hueSlots + 1 {
			p.by = append(p.by, term.NewProfile(slotCount))
		}
	}
	hue := hueSlots
	if row.Session >= 0 {
		hue = int(row.Session) % hueSlots
	}
	p.last = max(p.last, t-p.from)
	p.by[hue].Add(t-p.from, n, row.Ending.Bad())
}

// column is a part of the time: how much began in it, and the session with the hue of
// most of that.
type column struct {
	term.Slot
	session, most int
}

func (p *profile) spread(all extent, columns int) []column {
	out := make([]column, columns)
	for i := range out {
		out[i].session = library.AllSessions
	}
	for hue := range p.by {
		ofHue := make([]term.Slot, columns)
		for i, s := range p.by[hue].Until(p.last) {
			at := (float64(p.from+p.by[hue].Begin(i)) - all.from) / all.length() * float64(columns)
			ofHue[max(0, min(int(at), columns-1))].Add(s)
		}
		for i, s := range ofHue {
			out[i].Add(s)
			if hue < hueSlots && s.N > out[i].most {
				out[i].session, out[i].most = hue, s.N
			}
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
	v.drawPast(top, sc, all, columns)
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

func (v *View) drawPast(l *term.Line, sc *library.Scene, all extent, columns int) {
	slots, most := v.past.spread(all, columns), 1
	for i := range slots {
		most = max(most, slots[i].N)
	}
	bars := sc.Glyphs.Bars[2:]
	for i := range slots {
		s := &slots[i]
		bar := bars[int(math.Sqrt(float64(s.N)/float64(most))*float64(len(bars)-1))] // bursts hide nothing
		switch {
		case s.N == 0:
			l.Put(sc.Theme.Frame, sc.Glyphs.Bars[0])
		case s.Failed:
			l.Put(sc.Theme.Err, bar)
		default:
			l.Put(v.Rec.Hue(sc.Theme, s.session), bar)
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
