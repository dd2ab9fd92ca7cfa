package replaying

import (
	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// sideTitle is what stands above one of two answers.
func sideTitle(name string, n uint32, a *replay.Response) (left, right safe.Text) {
	left = safe.Line(name)
	if n > 0 {
		left += " #" + safe.Int(n)
	}
	if a.There && a.None == "" {
		right = term.Duration(int64(a.Took))
		if a.Body != nil {
			right += safe.Text(" · ") + term.Size(int64(len(a.Body)))
		}
	}
	return left, right
}

// Draw draws the two answers to a call.
func (d *Difference) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	c := &d.of.result.Calls[d.call]
	foot := 2
	d.rows.Height = max(h-1-foot, 1)
	d.lay(w)
	d.rows.Fit(len(d.laid), d.rows.Height)
	var out []string
	if d.isSplit(w) {
		out = append(out, d.drawSplitTitle(sc, c, w))
	} else {
		_, was := sideTitle("", c.Frame, &c.Was)
		_, now := sideTitle("", c.Other, &c.Now)
		right := []term.Seg{term.S(sc.Theme.Dim, was+" "+sc.Glyphs.Arrow+" "+now), term.S(sc.Theme.Title, "  "+deltaText(c))}
		if w < 60 {
			right = right[:0]
		}
		out = append(out, view.Title(sc, w, "- before  + after", true, right...).Finish())
	}
	for i := d.rows.Top; i < len(d.laid) && len(out) < h-foot; i++ {
		out = append(out, d.drawRow(sc, &d.laid[i], w))
	}
	if len(d.laid) == 0 {
		out = append(out, term.NewLine(w, sc.Glyphs).Gap(3).Put(sc.Theme.Dim, d.nothing()).Finish())
	}
	for len(out) < h-foot {
		l := term.NewLine(w, sc.Glyphs)
		if d.mode {
			l.Gap((w-1)/2).Put(sc.Theme.Frame, sc.Glyphs.V)
		}
		out = append(out, l.Finish())
	}
	return append(out, d.drawFoot(sc, c, w)...)
}

// nothing says why there are no lines.
func (d *Difference) nothing() safe.Text {
	switch {
	case d.err != "":
		return safe.Line(d.err)
	case d.loading:
		return "Comparing."
	}
	return "Neither side has a response to show."
}

func (d *Difference) drawSplitTitle(sc *library.Scene, c *replay.Outcome, w int) string {
	was, wasAt := sideTitle("Before", c.Frame, &c.Was)
	name := "After"
	if d.of.replayed {
		name = "Replayed"
	}
	now, nowAt := sideTitle(name, c.Other, &c.Now)
	half := (w - 1) / 2
	left := view.Title(sc, half, was, true, term.S(sc.Theme.Dim, wasAt)).Finish()
	changed := term.S(sc.Theme.Title, "  "+deltaText(c))
	right := view.Title(sc, w-half-1, now, true, term.S(sc.Theme.Dim, nowAt), changed).Finish()
	return left + term.NewLine(1, sc.Glyphs).Put(sc.Theme.Frame, sc.Glyphs.TDown).Finish() + right
}

func (d *Difference) drawRow(sc *library.Scene, r *diffRow, w int) string {
	dl := &d.lines[r.line]
	if r.folded > 0 {
		l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Key, sc.Glyphs.Folded).Gap(1)
		return l.Put(sc.Theme.Dim, term.Count(r.folded, "equal line")).Finish()
	}
	here := d.at >= 0 && dl.Kind != replay.LineSame && dl.Path == d.lines[d.at].Path
	if !d.mode {
		l := term.NewLine(w, sc.Glyphs)
		drawSide(sc, l, dl, r, r.left, r.sign, here)
		return l.Finish()
	}
	half := (w - 1) / 2
	a, b := term.NewLine(half, sc.Glyphs), term.NewLine(w-half-1, sc.Glyphs)
	was, now := byte(' '), byte(' ')
	switch {
	case r.kind == replay.LineIgnored:
		was, now = '~', '~'
	case r.kind != replay.LineSame:
		was, now = '-', '+'
	}
	drawSide(sc, a, dl, r, r.left, was, here)
	drawSide(sc, b, dl, r, r.right, now, here)
	return a.Finish() + term.NewLine(1, sc.Glyphs).Put(sc.Theme.Frame, sc.Glyphs.V).Finish() + b.Finish()
}

// drawSide draws one side of a row. Why a difference does not count stands
// behind it.
func drawSide(sc *library.Scene, l *term.Line, dl *replay.Line, r *diffRow, text string, sign byte, here bool) {
	if text == "" {
		return
	}
	th := sc.Theme
	st, word := term.Plain, term.Plain
	switch sign {
	case '-':
		l.On(th.Removed)
		st, word = th.Err, th.RemovedWord
	case '+':
		l.On(th.Added)
		st, word = th.Ok, th.AddedWord
	case '~':
		st = th.Dim
	}
	if here {
		l.Put(th.Key, sc.Glyphs.Bar)
	}
	l.Gap(1-l.Used).Put(st, safe.Line(string(rune(sign)))).Gap(1)
	p := &document.Pen{L: l, Th: th}
	switch {
	case sign == ' ' && r.whole:
		p.JSON(dl.Was)
	case r.whole && dl.Kind == replay.LineChanged && dl.Was != "" && dl.Now != "":
		line, changed := words(dl.Was), words(dl.Now)
		inWas, inNow := changedWords(line, changed)
		if sign == '+' {
			line, inWas = changed, inNow
		}
		putChanged(p, line, inWas, word)
	case r.whole && l.Under != "" && sign != '~': // the ground says it
		raw := dl.Was
		if sign == '+' {
			raw = dl.Now
		}
		p.JSON(raw)
	default:
		p.Marked(st, text)
	}
	if sign == '~' && dl.Why != "" && l.Max-l.Used > len(dl.Why)+4 {
		l.Gap(2).Put(th.Dim, "ignored: "+safe.Line(dl.Why))
	}
}

// drawFoot sums the difference up below it.
func (d *Difference) drawFoot(sc *library.Scene, c *replay.Outcome, w int) []string {
	l := term.NewLine(w, sc.Glyphs).Fill(sc.Theme.Frame, sc.Glyphs.H, w)
	if d.mode {
		l = term.NewLine(w, sc.Glyphs).Fill(sc.Theme.Frame, sc.Glyphs.H, (w-1)/2)
		l.Put(sc.Theme.Frame, sc.Glyphs.TUp).Fill(sc.Theme.Frame, sc.Glyphs.H, w)
	}
	ignored := map[string]bool{}
	for i := range d.lines {
		if d.lines[i].Kind == replay.LineIgnored {
			ignored[d.lines[i].Path] = true
		}
	}
	t := term.NewLine(w, sc.Glyphs).Gap(1).Put(callVerdict(sc, c.Verdict), safe.Line(c.Verdict.String())).Gap(2)
	tail := safe.Text("")
	if n := len(ignored); n > 0 {
		tail = "  " + term.Count(n, "path") + " ignored "
	}
	what := safe.Line(c.Note)
	switch {
	case d.at >= 0 && d.at < len(d.lines):
		what = safe.Line(d.lines[d.at].Path)
		if n := len(c.Changes); n > 1 {
			what += "  of " + term.Count(n, "change")
		}
	case what == "" && len(c.Changes) == 0 && c.Verdict == replay.Same:
		what = "no significant difference"
	}
	t.PutMax(term.Plain, what, w-term.Width(tail)-t.Used-1)
	t.Gap(w-term.Width(tail)-t.Used).Put(sc.Theme.Dim, tail)
	return []string{l.Finish(), t.Finish()}
}

var _ view.Crumbed = (*Difference)(nil)

// Crumbs say in the header whose answers these are.
func (d *Difference) Crumbs(*library.Scene) []safe.Text {
	c := &d.of.result.Calls[d.call]
	return []safe.Text{safe.Line(d.of.result.FirstName), safe.Line(c.Number()) + " " + safe.Line(c.Label()), d.of.with()}
}

// State implements view.View.
func (d *Difference) State(h view.Host) []term.Seg { return d.of.head(h.Scene(), 100) }

// Told implements view.View.
func (d *Difference) Told(h view.Host) safe.Text { return d.of.Told(h) }
