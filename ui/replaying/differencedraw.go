package replaying

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (d *Difference) side(sc *library.Scene, name safe.Text, n uint32, a *replay.Response) *term.Panel {
	if n > 0 {
		name += " #" + safe.Int(n)
	}
	p := sc.Theme.Panel(name)
	p.Focus = true
	if about := aboutAnswer(a); about != "" {
		p.State = []term.Seg{term.S(sc.Theme.Dim, about)}
	}
	return p
}

// aboutAnswer is how long an answer took and how large it is.
func aboutAnswer(a *replay.Response) safe.Text {
	text := tookText(a)
	if text != "" && a.Body != nil {
		text += safe.Text(" · ") + term.Bytes(len(a.Body))
	}
	return text
}

// Draw draws the two answers to a call.
func (d *Difference) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	foot := d.drawFoot(sc, w)
	h = max(h-len(foot), 2)
	var out []string
	if d.isSplit(w) {
		out = d.drawSplit(sc, w, h)
	} else {
		out = d.drawWhole(sc, w, h)
	}
	return append(out, foot...)
}

func (d *Difference) drawWhole(sc *library.Scene, w, h int) []string {
	c := &d.of.result.Calls[d.call]
	p := sc.Theme.Panel("- before  + after")
	p.Focus = true
	if !term.Narrow(w) {
		was, now := cmp.Or(aboutAnswer(&c.Was), sc.Glyphs.Dot), cmp.Or(aboutAnswer(&c.Now), sc.Glyphs.Dot)
		p.State = []term.Seg{term.S(sc.Theme.Dim, was+" "+sc.Glyphs.Arrow+" "+now)}
		p.State = append(p.State, changeOf(sc, c)...)
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	var body []string
	for i := range d.seen(iw, ih, false) {
		body = append(body, d.drawUnified(sc, &d.laid[i], iw))
	}
	return p.Draw(&sc.Screen, w, h, d.orNothing(sc, iw, body))
}

// changeOf is how much longer the second answer took, in the title.
func changeOf(sc *library.Scene, c *replay.Outcome) []term.Seg {
	if text := deltaText(c); text != "" {
		return []term.Seg{term.S(sc.Theme.Title, "  "+text)}
	}
	return nil
}

func (d *Difference) drawSplit(sc *library.Scene, w, h int) []string {
	c := &d.of.result.Calls[d.call]
	name := safe.Text("After")
	if d.of.replayed {
		name = "Replayed"
	}
	was, now := d.side(sc, "Before", c.Frame, &c.Was), d.side(sc, name, c.Other, &c.Now)
	now.State = append(now.State, changeOf(sc, c)...)
	if !sc.Boxed {
		was.Edge = slices.Repeat([]term.Seg{term.S(sc.Theme.Frame, sc.Glyphs.V)}, h)
	}
	half := (w + 1) / 2
	left, ih := was.Inner(&sc.Screen, half, h)
	right, _ := now.Inner(&sc.Screen, w-half, h)
	var a, b []string
	for i := range d.seen(2*right, ih, true) {
		x, y := d.drawBeside(sc, &d.laid[i], left, right)
		a, b = append(a, x), append(b, y)
	}
	out := was.Draw(&sc.Screen, half, h, d.orNothing(sc, left, a))
	for i, s := range now.Draw(&sc.Screen, w-half, h, b) {
		out[i] += s
	}
	return out
}

// seen are the rows that are seen in h lines of w cells.
func (d *Difference) seen(w, h int, split bool) iter.Seq[int] {
	d.rows.Height = h
	d.lay(w, split)
	d.rows.Fit(len(d.laid), h)
	return func(yield func(int) bool) {
		for i := d.rows.Top; i < min(d.rows.Top+h, len(d.laid)) && yield(i); i++ {
		}
	}
}

func (d *Difference) nothing() safe.Text {
	switch {
	case d.err != "":
		return safe.Line(d.err)
	case d.loading:
		return "Comparing."
	}
	return "Neither side has a response to show."
}

// orNothing says why there are no lines where there are none.
func (d *Difference) orNothing(sc *library.Scene, w int, body []string) []string {
	if len(d.laid) > 0 {
		return body
	}
	return []string{term.NewLine(w, sc.Glyphs).Gap(2).Put(sc.Theme.Dim, d.nothing()).Finish()}
}

func (d *Difference) drawUnified(sc *library.Scene, r *diffRow, w int) string {
	l := term.NewLine(w, sc.Glyphs)
	if r.folded > 0 {
		l.Gap(1).Put(sc.Theme.Key, sc.Glyphs.Folded).Gap(1)
		return l.Put(sc.Theme.Dim, term.Count(r.folded, "equal line")).Finish()
	}
	drawSide(sc, l, &d.lines[r.line], r, r.left, r.sign, d.isHere(r))
	return l.Finish()
}

func (d *Difference) drawBeside(sc *library.Scene, r *diffRow, left, right int) (before, after string) {
	dl, here := &d.lines[r.line], d.isHere(r)
	a, b := term.NewLine(left, sc.Glyphs), term.NewLine(right, sc.Glyphs)
	was, now := byte(' '), byte(' ')
	switch {
	case r.kind == replay.LineIgnored:
		was, now = '~', '~'
	case r.kind != replay.LineSame:
		was, now = '-', '+'
	}
	drawSide(sc, a, dl, r, r.left, was, here)
	drawSide(sc, b, dl, r, r.right, now, here)
	return a.Finish(), b.Finish()
}

// isHere says whether a row belongs to the change that is looked at.
func (d *Difference) isHere(r *diffRow) bool {
	dl := &d.lines[r.line]
	return d.at >= 0 && dl.Kind != replay.LineSame && dl.Path == d.lines[d.at].Path
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
		line, changed := wordsOf(dl.Was), wordsOf(dl.Now)
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

func (d *Difference) drawFoot(sc *library.Scene, w int) []string {
	c := &d.of.result.Calls[d.call]
	ignored := map[string]bool{}
	for i := range d.lines {
		if d.lines[i].Kind == replay.LineIgnored {
			ignored[d.lines[i].Path] = true
		}
	}
	t := term.NewLine(w, sc.Glyphs).Gap(1).Put(callVerdict(sc, c.Verdict), verdictWord(c.Verdict)).Gap(2)
	tail := safe.Text("")
	if n := len(ignored); n > 0 {
		tail = "  " + term.Count(n, "path") + " ignored "
	}
	what := noteOf(c)
	if d.at >= 0 && d.at < len(d.lines) {
		what = safe.Line(d.lines[d.at].Path)
		path := d.lines[d.at].Path
		at := slices.IndexFunc(c.Changes, func(ch replay.Change) bool { return ch.Path == path })
		if n := len(c.Changes); n > 1 && at >= 0 {
			what += "  change " + safe.Int(at+1) + " of " + safe.Int(n)
		}
	}
	t.PutMax(term.Plain, what, w-term.Width(tail)-t.Used-1)
	t.Gap(w-term.Width(tail)-t.Used).Put(sc.Theme.Dim, tail)
	if sc.Boxed {
		return []string{t.Finish()}
	}
	return []string{term.NewLine(w, sc.Glyphs).Fill(sc.Theme.Frame, sc.Glyphs.H, w).Finish(), t.Finish()}
}

var _ view.Crumbed = (*Difference)(nil)

// Crumbs say in the header whose answers these are.
func (d *Difference) Crumbs(*library.Scene) []safe.Text {
	c := &d.of.result.Calls[d.call]
	return []safe.Text{safe.Line(d.of.result.FirstName), safe.Line(c.Number()) + " " + safe.Line(c.Label()), d.of.with()}
}

// What view.View asks for.
func (d *Difference) State(h view.Host) []term.Seg { return d.of.State(h) }
func (d *Difference) Told(h view.Host) safe.Text   { return d.of.Told(h) }

// maxWords bounds what is compared word by word.
const maxWords = 200

// wordsOf cuts a line into words with the blanks behind them, and signs that stand
// alone.
func wordsOf(s string) (out []string) {
	for s != "" {
		n := strings.IndexAny(s, ` ",:[]{}`)
		switch {
		case n < 0:
			n = len(s)
		case n == 0:
			n = 1
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// changedWords says which words of two lines the other one has not, in the order
// in which they stand. Of long lines it says that of none.
func changedWords(was, now []string) (inWas, inNow []bool) {
	if len(was) > maxWords || len(now) > maxWords {
		return make([]bool, len(was)), make([]bool, len(now))
	}
	return words.Apart(was, now)
}

// putChanged writes one of two lines in the colours of JSON, with the words that the
// other one has not in the style of changed words.
func putChanged(p *document.Pen, line []string, changed []bool, st term.Style) {
	under, rest := p.L.Under, strings.Join(line, "")
	token, colour := 0, term.Plain // the bytes that are left of a token, and its colour
	for i, w := range line {
		if token <= 0 {
			token, colour = document.JSONToken(p.Th, rest)
		}
		token, rest = token-len(w), rest[len(w):]
		blank := strings.TrimSpace(w) == "" && (i == 0 || !changed[i-1] || i+1 == len(line) || !changed[i+1])
		if !changed[i] || blank {
			p.Marked(colour, safe.Marked(w))
			continue
		}
		p.L.Under = ""
		p.Marked(st+term.Bold, safe.Marked(w))
		p.L.Under = under
	}
}
