package replaying

import (
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

// callColumns are the widths of the columns of a list of compared calls.
type callColumns struct {
	num, label, sign, took, delta, verdict, about int
	long                                          bool // both latencies have room
	sessions                                      bool // there are several, and room to tell them
}

func columnsOfCalls(w int, calls []replay.Outcome) callColumns {
	c := callColumns{num: 6, sign: 4, verdict: 11, label: 12, delta: 8}
	for i := range calls {
		c.label = max(c.label, len(calls[i].Method)+1+len(calls[i].Target))
		c.sessions = c.sessions || w >= 90 && calls[i].Session != calls[0].Session
	}
	if c.sessions {
		c.num += 4
	}
	rest := w - 2 - c.num - 2*c.sign - c.verdict - c.delta
	if w >= 76 {
		c.long, c.took = true, 9
		rest -= 2 * c.took
	}
	c.label = max(8, min(c.label+1, rest-1, max(rest*45/100, 30)))
	c.about = max(rest-c.label, 0)
	return c
}

func (v *Comparison) drawCalls(sc *library.Scene, w, h int) []string {
	col := columnsOfCalls(w, v.result.Calls)
	l := term.NewLine(w, sc.Glyphs).Gap(2).Cell(sc.Theme.Faint, "#", col.num).Cell(sc.Theme.Faint, "CALL", col.label)
	l.Cell(sc.Theme.Faint, "WAS", col.sign).Cell(sc.Theme.Faint, "NOW", col.sign)
	if col.long {
		l.Right(sc.Theme.Faint, "RECORDED", col.took).Right(sc.Theme.Faint, "NOW", col.took)
	}
	l.Right(sc.Theme.Faint, safe.Line(delta(sc)), col.delta).Gap(1).Put(sc.Theme.Faint, "VERDICT")
	head := []string{l.Finish()}
	if len(v.vis) == 0 {
		head = append(head, term.NewLine(w, sc.Glyphs).Gap(3).Put(sc.Theme.Dim, "Nothing differs. f shows all calls").Finish())
	}
	return view.List(w, h, head, &v.lines, len(v.vis), func(i int) string { return v.drawCall(sc, &col, w, i) })
}

func delta(sc *library.Scene) string {
	if sc.ASCII {
		return "diff"
	}
	return "Δ"
}

func (v *Comparison) drawCall(sc *library.Scene, col *callColumns, w, i int) string {
	l := sc.Row(w, i == v.lines.Sel, true).Gap(1)
	if v.vis[i] >= len(v.result.Calls) {
		return l.Put(sc.Theme.Warn, sc.Glyphs.Warn+" ").Put(term.Plain, v.problem(i)).Finish()
	}
	c := &v.result.Calls[v.vis[i]]
	num := safe.Line(c.Number())
	if col.sessions {
		num += " s" + safe.Int(c.Session)
	}
	l.Cell(sc.Theme.Dim, num, col.num)
	from := l.Used
	l.PutMax(term.Plain, safe.Line(c.Method), col.label-1).Gap(min(1, from+col.label-1-l.Used))
	l.PutMax(term.Bold, safe.Line(c.Target), from+col.label-1-l.Used).Gap(from + col.label - l.Used)
	for _, a := range [...]*replay.Response{&c.Was, &c.Now} {
		t, st := answerSign(sc, a)
		l.Gap(1).Cell(st, t, col.sign-1)
	}
	if col.long {
		l.Right(sc.Theme.Dim, tookText(&c.Was), col.took).Right(term.Plain, tookText(&c.Now), col.took)
	}
	st := sc.Theme.Dim
	if c.Slower {
		st = sc.Theme.Warn
	}
	l.Right(st, deltaText(c), col.delta)
	l.Gap(1).Cell(callVerdict(sc, c.Verdict), safe.Line(c.Verdict.String()), col.verdict)
	about := safe.Line(c.About())
	if col.about >= 20 || term.Width(about) < l.Max-l.Used { // its beginning alone says nothing
		l.PutMax(sc.Theme.Dim, about, l.Max-1-l.Used)
	}
	return l.Finish()
}

// problem is the problem on a line.
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
