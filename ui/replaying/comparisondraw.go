package replaying

import (
	"slices"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Draw draws the calls, and what is different about the selected one.
func (v *Comparison) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	if sc.Boxed {
		return v.drawBoxes(sc, w, h)
	}
	below := 0
	if h >= 16 {
		below = min(max(h/3, 7), 12)
	}
	p := sc.Theme.Panel("Calls", v.summary(sc, w)...)
	p.Focus = true
	out := p.Draw(&sc.Screen, w, h-below, v.drawCalls(sc, w, h-below-1))
	p = sc.Theme.Panel("Difference", term.S(sc.Theme.Dim, "enter shows it all"))
	return append(out, p.Draw(&sc.Screen, w, below, v.drawAboutCall(sc, w, max(below-1, 0)))...)
}

func callVerdict(sc *library.Scene, v replay.Verdict) term.Style {
	th := sc.Theme
	return [replay.Verdicts]term.Style{th.Dim, th.Warn, th.Err, th.Note, th.Err, th.Ok, th.Warn, th.Dim}[v]
}

// summary sums the comparison up; where there is no room for all, what is
// the same goes first.
func (v *Comparison) summary(sc *library.Scene, w int) []term.Seg {
	c := v.result
	var out []term.Seg
	n := 0
	add := func(st term.Style, t safe.Text) {
		if len(out) > 0 {
			t = "  " + t
		}
		if n+term.Width(t) > w-16 {
			return
		}
		out, n = append(out, term.S(st, t)), n+term.Width(t)
	}
	if v.only {
		add(sc.Theme.Pend, "only differences")
	}
	counts := c.Counts()
	for _, k := range [...]replay.Verdict{
		replay.Broken, replay.Missing, replay.Changed, replay.Extra,
		replay.Fixed, replay.Slower, replay.Skipped, replay.Same,
	} {
		if counts[k] > 0 {
			add(callVerdict(sc, k), term.Number(counts[k])+" "+safe.Line(k.String()))
		}
	}
	if k := len(c.Problems); k > 0 {
		add(sc.Theme.Warn, term.Count(k, "problem"))
	}
	return out
}

// table is the columns of the calls. Behind the calls stand problems of the whole.
func (v *Comparison) table(sc *library.Scene) *term.Table[int] {
	calls := v.result.Calls
	several := slices.ContainsFunc(calls, func(c replay.Outcome) bool { return c.Session != calls[0].Session })
	cell := func(of func(c *replay.Outcome) term.Seg) func(int) term.Seg {
		return func(i int) term.Seg { return of(&calls[i]) }
	}
	answer := func(a *replay.Response) term.Seg {
		t, st := answerSign(sc, a)
		return term.S(st, t)
	}
	return &term.Table[int]{
		Screen: &sc.Screen,
		Rest: func(i int) (int, term.Seg) {
			if i < len(calls) {
				return 0, term.Seg{}
			}
			return term.FromFirst, term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "+safe.Line(v.result.Problems[i-len(calls)]))
		},
		Columns: []term.Column[int]{
			{Head: "#", Min: 5, Max: 9, Cell: cell(func(c *replay.Outcome) term.Seg {
				num := safe.Line(c.Number())
				if several {
					num += " s" + safe.Int(c.Session)
				}
				return term.S(sc.Theme.Dim, num)
			})},
			{Head: "CALL", Min: 8, Max: 26, Flex: 1, Draw: func(l *term.Line, i int) {
				l.Put(term.Plain, safe.Line(calls[i].Method)).Gap(1).Put(term.Bold, safe.Line(calls[i].Target))
			}},
			{Head: "WAS", Min: 3, Cell: cell(func(c *replay.Outcome) term.Seg { return answer(&c.Was) })},
			{Head: "NOW", Min: 3, Cell: cell(func(c *replay.Outcome) term.Seg { return answer(&c.Now) })},
			{Head: "RECORDED", Rank: 2, Min: 8, Right: true, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(sc.Theme.Dim, tookText(&c.Was))
			})},
			{Head: "NOW", Rank: 2, Min: 8, Right: true, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(term.Plain, tookText(&c.Now))
			})},
			{Head: safe.Line(delta(sc)), Rank: 1, Min: 7, Right: true, Cell: cell(func(c *replay.Outcome) term.Seg {
				if c.Slower {
					return term.S(sc.Theme.Warn, deltaText(c))
				}
				return term.S(sc.Theme.Dim, deltaText(c))
			})},
			{Head: "VERDICT", Min: 10, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(callVerdict(sc, c.Verdict), safe.Line(c.Verdict.String()))
			})},
			{Rank: 3, Min: 8, Max: 40, Flex: 1, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(sc.Theme.Dim, safe.Line(c.About()))
			})},
		},
	}
}

func (v *Comparison) drawCalls(sc *library.Scene, w, h int) []string {
	at := func(i int) int { return v.vis[i] }
	if len(v.vis) > 0 {
		return view.Lines(v.table(sc), &v.lines, len(v.vis), at, w, h, true)
	}
	head := v.table(sc).Fit(w, 0, nil).Header()
	v.lines.Fit(0, h-1)
	return []string{head, term.NewLine(w, sc.Glyphs).Gap(3).Put(sc.Theme.Dim, "Nothing differs. f shows all calls").Finish()}
}

func delta(sc *library.Scene) string {
	if sc.ASCII {
		return "diff"
	}
	return "Δ"
}

func (v *Comparison) problem(line int) safe.Text {
	return safe.Line(v.result.Problems[v.vis[line]-len(v.result.Calls)])
}

func answerSign(sc *library.Scene, a *replay.Response) (safe.Text, term.Style) {
	switch {
	case !a.There:
		return sc.Glyphs.Dot, sc.Theme.Dim
	case a.None != "" && !a.Failed:
		return sc.Glyphs.Cancel, sc.Theme.Dim
	case a.Failed:
		return sc.Glyphs.Err, sc.Theme.Err
	}
	return sc.Glyphs.Ok, sc.Theme.Ok
}

func tookText(a *replay.Response) safe.Text {
	if !a.There || a.None != "" {
		return ""
	}
	return term.Duration(int64(a.Took))
}

// deltaText is how much longer the second answer took.
func deltaText(c *replay.Outcome) safe.Text {
	if !c.Was.There || !c.Now.There || c.Was.None+c.Now.None != "" {
		return ""
	}
	d := c.Now.Took - c.Was.Took
	if d >= 0 {
		return "+" + term.Duration(int64(d))
	}
	return term.Duration(int64(d))
}

// drawAboutCall says what is different about the selected call.
func (v *Comparison) drawAboutCall(sc *library.Scene, w, h int) []string {
	d := document.Doc{Width: w - 4}
	if i, ok := v.selected(); ok {
		callDoc(sc, &d, &v.result.Calls[i])
	} else if v.lines.Sel < len(v.vis) {
		d.Text(sc.Theme.Warn, v.problem(v.lines.Sel))
	}
	for _, s := range v.result.Remarks {
		d.Text(sc.Theme.Dim, "note: "+safe.Line(s))
	}
	out := d.Draw(&sc.Screen, w, 2, 0, h)
	return append(out, term.Blanks(h-len(out), w)...)
}

func callDoc(sc *library.Scene, d *document.Doc, c *replay.Outcome) {
	note := safe.Line(c.Note)
	if c.Verdict == replay.Fixed && note != "" {
		note = "was " + note
	}
	if note == "" && c.Verdict == replay.Same {
		note = "no significant difference"
	}
	d.Add(term.S(callVerdict(sc, c.Verdict), safe.Line(c.Verdict.String())), term.S(term.Plain, "  "+note))
	if c.Slower {
		d.Text(sc.Theme.Warn, "slower: "+tookText(&c.Now)+", was "+tookText(&c.Was))
	}
	value := func(st term.Style, sign safe.Text, text string) {
		if text != "" {
			segs := []term.Seg{term.S(st, sign), term.S(term.Plain, safe.Line(text))}
			d.Lines = append(d.Lines, document.Line{Segs: segs})
		}
	}
	for _, ch := range c.Changes {
		d.Add(term.S(term.Bold, safe.Line(ch.Path)), term.S(sc.Theme.Dim, " "+safe.Line(ch.Kind)))
		value(sc.Theme.Err, "  - ", ch.Was)
		value(sc.Theme.Ok, "  + ", ch.Now)
	}
	for _, s := range c.Schema {
		d.Text(sc.Theme.Warn, "breaks its output schema: "+safe.Line(s))
	}
}

var _ view.Crumbed = (*Comparison)(nil)

// Crumbs say in the header what is compared.
func (v *Comparison) Crumbs(*library.Scene) []safe.Text {
	return append([]safe.Text{safe.Line(v.result.FirstName)}, v.with())
}

func (v *Comparison) with() safe.Text {
	switch {
	case v.replayed && v.of.Params != nil:
		return "replay, edited"
	case v.replayed:
		return "replay"
	}
	return "compared with " + safe.Line(v.result.SecondName)
}

// State implements view.View.
func (v *Comparison) State(h view.Host) []term.Seg { return v.head(h.Scene(), 80) }

// head sums the comparison up, in more words from a width on.
func (v *Comparison) head(sc *library.Scene, from int) []term.Seg {
	c := v.result
	var out []term.Seg
	switch {
	case !sc.Boxed && v.replayed && sc.Width >= from:
		return []term.Seg{
			term.S(sc.Theme.Dim, "against "+term.Shorten(safe.Line(c.SecondName), sc.Width/3, sc.Glyphs)+"   "),
			term.S(term.Plain, term.Count(len(c.Calls), "call")), term.S(sc.Theme.Dim, " in "+term.Duration(int64(c.Took))+" "),
		}
	case sc.Boxed:
		counts := c.Counts()
		for _, k := range [...]replay.Verdict{replay.Broken, replay.Missing, replay.Fixed, replay.Changed} {
			if counts[k] > 0 {
				text := term.Number(counts[k]) + " " + safe.Line(k.String())
				out = append(out, sc.Theme.Badge(callVerdict(sc, k), text), term.S(term.Plain, " "))
			}
		}
		out = append(out, term.S(term.Plain, "  "))
		if counts[replay.Same] > 0 {
			out = append(out, term.S(sc.Theme.Dim, term.Number(counts[replay.Same])+" same   "))
		}
	}
	return append(out, term.S(term.Plain, term.Count(len(c.Calls), "call")+" "))
}

// Told says where the other side is kept.
func (v *Comparison) Told(h view.Host) safe.Text {
	switch {
	case v.replayed && v.result.Second != "":
		return "recorded as " + safe.Line(v.result.Second)
	case h.Scene().Boxed: // the header does
		return ""
	}
	return safe.Line(summaryOf(v.result))
}
