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

// drawBoxes draws a comparison where there is room for boxes: what was compared, the
// calls by weight at the left, what is different about the selected one at the right.
func (v *Comparison) drawBoxes(sc *library.Scene, w, h int) []string {
	out := v.drawSides(sc, w, sidesHeight)
	left := callsWidth(w)
	calls := v.drawCallBox(sc, left, h-sidesHeight)
	for i, s := range v.drawDifferenceBox(sc, w-left, h-sidesHeight) {
		out = append(out, calls[i]+s)
	}
	return out
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

// drawCallBox draws the calls with both latencies.
func (v *Comparison) drawCallBox(sc *library.Scene, w, h int) []string {
	order := safe.Text("weight")
	if v.inOrder {
		order = "time"
	}
	p := sc.Theme.Panel("Calls", term.S(sc.Theme.Dim, "sort "), term.S(sc.Theme.Key, order))
	p.Focus = true
	if v.only {
		p.State = append([]term.Seg{term.S(sc.Theme.Pend, "only differences   ")}, p.State...)
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	v.lines.Fit(len(v.vis), ih)
	var out []string
	for i := v.lines.Top; i < min(v.lines.Top+ih, len(v.vis)); i++ {
		out = append(out, v.drawBoxCall(sc, iw, i))
	}
	if len(v.vis) == 0 {
		l := term.NewLine(iw, sc.Glyphs).Gap(2).Put(sc.Theme.Ok, sc.Glyphs.Ok).Put(term.Plain, " nothing differs   ")
		out = append(out, l.Hint(sc.Theme, "f", "all calls").Finish())
	}
	return p.Draw(&sc.Screen, w, h, out)
}

func (v *Comparison) drawBoxCall(sc *library.Scene, w, i int) string {
	th := sc.Theme
	if v.vis[i] >= len(v.result.Calls) {
		l := sc.Row(w, i == v.lines.Sel, true)
		return l.Gap(1-l.Used).Put(th.Warn, sc.Glyphs.Warn+" ").Put(term.Plain, v.problem(i)).Finish()
	}
	c := &v.result.Calls[v.vis[i]]
	st := callVerdict(sc, c.Verdict)
	if c.Verdict == replay.Same && c.Slower {
		st = th.Warn
	}
	l := term.NewLine(w, sc.Glyphs)
	if i == v.lines.Sel {
		l.Selected(th, true)
	}
	took := tookText(&c.Was)
	end := w - 17
	l.Put(st, sc.Glyphs.Edge).Right(th.Dim, safe.Line(c.Number()), 5).Gap(1)
	if v.several {
		l.Cell(th.Dim, "s"+safe.Int(c.Session), 4)
	}
	l.Cell(st, safe.Line(c.Verdict.String()), 9).Gap(1)
	if c.Target == "" {
		l.PutMax(th.Dim, safe.Line(c.Method), end-l.Used)
	}
	l.PutMax(term.Bold, safe.Line(c.Target), end-l.Used).Gap(end - l.Used)
	now := th.Dim
	switch {
	case c.Slower:
		now = th.Warn
	case c.Was.There && c.Now.There && c.Now.Took*20 < c.Was.Took:
		now = th.Ok
	case c.Now.There:
		now = term.Plain
	}
	l.Right(th.Dim, took, 7).Put(th.Dim, " "+sc.Glyphs.Arrow+" ")
	return l.Right(now, tookText(&c.Now), 6).Finish()
}

// drawDifferenceBox draws what is different about the selected call.
func (v *Comparison) drawDifferenceBox(sc *library.Scene, w, h int) []string {
	p := sc.Theme.Panel("Difference")
	iw, ih := p.Inner(&sc.Screen, w, h)
	d := v.beside
	if d == nil {
		return p.Draw(&sc.Screen, w, h, v.drawAboutCall(sc, iw, ih))
	}
	c := &v.result.Calls[d.call]
	if n := len(c.Changes); n > 0 && d.at >= 0 && d.at < len(d.lines) {
		p.State = []term.Seg{term.S(sc.Theme.Dim, term.Count(n, "change")+"   ")}
	}
	key, dim := sc.Theme.Key, sc.Theme.Dim
	p.State = append(p.State, term.S(key, "n N "), term.S(dim, "next   "), term.S(key, "enter "), term.S(dim, "all of it"))
	head := term.NewLine(iw, sc.Glyphs).On(sc.Theme.Field).Gap(1)
	head.Put(callVerdict(sc, c.Verdict), safe.Line(c.Verdict.String()))
	head.Gap(2).Put(sc.Theme.Key, safe.Line(c.Number())).Gap(1)
	times := tookText(&c.Was) + " " + sc.Glyphs.Arrow + " " + tookText(&c.Now)
	head.PutMax(term.Bold, safe.Line(c.Label()), iw-head.Used-term.Width(times)-2)
	head.Gap(iw-head.Used-term.Width(times)-1).Put(sc.Theme.Dim, times)
	out := []string{head.Finish()}
	foot := v.remarks(sc, iw)
	if note := safe.Line(c.Note); note != "" {
		out = append(out, term.NewLine(iw, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, note).Finish())
	}
	var body []string
	for i := range d.seen(iw, max(ih-len(out)-len(foot), 1), false) {
		body = append(body, d.drawUnified(sc, &d.laid[i], iw))
	}
	out = append(out, d.orNothing(sc, iw, body)...)
	out = append(out, term.Blanks(ih-len(foot)-len(out), iw)...)
	return p.Draw(&sc.Screen, w, h, append(out, foot...))
}

// remarks are what became of findings, and notes about the comparison.
func (v *Comparison) remarks(sc *library.Scene, w int) (out []string) {
	const most = 3
	for i, s := range v.result.Remarks {
		if i == most-1 && len(v.result.Remarks) > most {
			s = "and " + string(term.Number(len(v.result.Remarks)-i)) + " more remarks: y copies all"
		}
		if i < most {
			l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Ok, sc.Glyphs.Card).Gap(1)
			out = append(out, l.Put(term.Plain, safe.Line(s)).Finish())
		}
	}
	return out
}
