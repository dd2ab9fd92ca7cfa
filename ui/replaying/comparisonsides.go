package replaying

import (
	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	sidesHeight = 4  // lines of the box that says what is compared
	stripCells  = 40 // of the strip of calls at most
)

// callsWidth is how wide the box of the calls is.
func callsWidth(w int) int { return min(max(w*2/5, 48), 70) }

// sum adds up what the box about both sides says.
func (v *Comparison) sum() {
	calls := v.result.Calls
	v.was, v.took, v.several = 0, 0, false
	v.worst = make([]int, min(len(calls), stripCells))
	for i := range v.worst {
		v.worst[i] = weight(&replay.Outcome{Verdict: replay.Same})
	}
	for i := range calls {
		c := &calls[i]
		v.was, v.took = v.was+c.Was.Took, v.took+c.Now.Took
		v.several = v.several || c.Session != calls[0].Session
		k := i * len(v.worst) / len(calls)
		v.worst[k] = min(v.worst[k], weight(c))
	}
}

// drawSides names both sides, and shows all calls in order as a strip.
func (v *Comparison) drawSides(sc *library.Scene, w, h int) []string {
	c := v.result
	p := sc.Theme.Panel("Before and after")
	iw, _ := p.Inner(&sc.Screen, w, h)
	strip := v.strip(sc)
	room := iw - max(term.SegsWidth(strip), len("calls in order")) - 24
	side := func(label safe.Text, hue int, name, note safe.Text) *term.Line {
		l := term.NewLine(iw, sc.Glyphs).Gap(1).Cell(sc.Theme.Faint, label, 8)
		l.Put(sc.Theme.Hue(hue), sc.Glyphs.Edge).PutMax(sc.Theme.Hue(hue)+term.Bold, name, room-l.Used)
		return l.Gap(2).PutMax(sc.Theme.Dim, note, room-l.Used).Gap(room + 2 - l.Used)
	}
	now := safe.Line(c.SecondName)
	if v.replayed {
		now = v.with()
	}
	note := safe.Line(c.Second)
	if v.replayed {
		note = "against " + safe.Line(c.SecondName)
	}
	before := side("before", 0, safe.Line(c.FirstName), safe.Line(c.First)).Put(sc.Theme.Faint, "calls in order")
	after := side("after", 1, now, note).Segs(strip)
	after.Gap(3).Put(term.Plain, term.Duration(int64(v.was))+" "+sc.Glyphs.Arrow+" "+term.Duration(int64(v.took)))
	return p.Draw(&sc.Screen, w, h, []string{before.Finish(), after.Finish()})
}

// strip is a cell for each call in order, or for some beside each other: high and
// green for what works now, high and red for what does no more, half for what
// changed.
func (v *Comparison) strip(sc *library.Scene) (out []term.Seg) {
	bars := sc.Glyphs.Bars
	for _, k := range v.worst {
		st, bar := sc.Theme.Warn, bars[len(bars)/2]
		switch {
		case k <= 1:
			st, bar = sc.Theme.Err, bars[len(bars)-1]
		case k == 2:
			st, bar = sc.Theme.Ok, bars[len(bars)-1]
		case k >= 6:
			st, bar = sc.Theme.Dim, bars[1]
		}
		out = append(out, term.S(st, bar))
	}
	return out
}
