package replaying

import (
	"iter"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// drawDifference draws what is different about the selected call.
func (v *Comparison) drawDifference(sc *library.Scene, w, h int) []string {
	if h <= 0 {
		return nil
	}
	p := sc.Theme.Panel("Difference")
	p.Focus = v.whole
	iw, ih := p.Inner(&sc.Screen, w, h)
	var foot []string
	if !v.whole {
		foot = v.remarks(sc, iw, ih)
	}
	d := v.of
	if d == nil {
		body := document.Doc{Width: iw - 1}
		if at := v.lines.Sel; at < len(v.vis) && v.vis[at] >= len(v.result.Calls) {
			body.Add(term.S(sc.Theme.Warn, v.problem(v.vis[at])))
		}
		return p.Draw(&sc.Screen, w, h, append(body.All(&sc.Screen, iw, 1), foot...))
	}
	key, dim := sc.Theme.Key, sc.Theme.Dim
	more := safe.Text("whole screen")
	if v.whole {
		more = "calls"
	}
	p.State = []term.Seg{term.S(key, "n N "), term.S(dim, "next   "), term.S(key, "enter "), term.S(dim, more)}
	out := v.differenceHead(sc, iw)
	l := layout{w: iw, split: v.whole && iw >= splitFrom-2, folds: !v.whole}
	if l.split {
		head := term.NewLine(iw, sc.Glyphs).Gap(1).Put(sc.Theme.Faint, "BEFORE")
		out = append(out, head.Gap(l.left()+1-head.Used).Put(sc.Theme.Faint, "AFTER").Finish())
	}
	var body []string
	for i := range d.seen(l, max(ih-len(out)-len(foot), 1)) {
		body = append(body, d.draw(sc, &d.laid[i], iw))
	}
	out = append(out, d.orNothing(sc, iw, body)...)
	out = append(out, term.Blanks(ih-len(foot)-len(out), iw)...)
	return p.Draw(&sc.Screen, w, h, append(out, foot...))
}

// differenceHead says what came of the call, and which of its changes is looked at.
func (v *Comparison) differenceHead(sc *library.Scene, w int) []string {
	d, c := v.of, &v.result.Calls[v.of.call]
	head := term.NewLine(w, sc.Glyphs).On(sc.Theme.Field).Gap(1)
	head.Put(callVerdict(sc, c.Verdict), verdictWord(c.Verdict))
	head.Gap(2).Put(sc.Theme.Key, safe.Line(c.Number())).Gap(1)
	times := tookText(&c.Was) + " " + sc.Glyphs.Arrow + " " + tookText(&c.Now)
	head.PutMax(term.Bold, safe.Line(c.Label()), w-head.Used-term.Width(times)-2)
	head.Gap(w-head.Used-term.Width(times)-1).Put(sc.Theme.Dim, times)
	doc := document.Doc{Width: w - 1}
	if note := noteOf(c); note != "" {
		doc.Text(sc.Theme.Dim, note)
	}
	for _, fault := range c.Schema {
		doc.Text(sc.Theme.Warn, "breaks its output schema: "+safe.Line(fault))
	}
	if text := d.where(c); text != "" {
		doc.Text(sc.Theme.Dim, text)
	}
	return append([]string{head.Finish()}, doc.All(&sc.Screen, w, 1)...)
}

// where names the change that is looked at, and says how many paths are ignored.
func (d *difference) where(c *replay.Outcome) (text safe.Text) {
	ignored := map[string]bool{}
	for i := range d.lines {
		if d.lines[i].Kind == replay.LineIgnored {
			ignored[d.lines[i].Path] = true
		}
	}
	if d.at >= 0 && d.at < len(d.lines) {
		path := d.lines[d.at].Path
		text = safe.Line(path)
		at := slices.IndexFunc(c.Changes, func(ch replay.Change) bool { return ch.Path == path })
		if n := len(c.Changes); n > 1 && at >= 0 {
			text += "  change " + safe.Int(at+1) + " of " + safe.Int(n)
		}
	}
	if n := len(ignored); n > 0 {
		text += "  " + term.Count(n, "path") + " ignored"
	}
	return text
}

// seen are the rows that are seen in h lines.
func (d *difference) seen(l layout, h int) iter.Seq[int] {
	d.rows.Height = h
	d.lay(l)
	d.rows.Fit(len(d.laid), h)
	return func(yield func(int) bool) {
		for i := d.rows.Top; i < min(d.rows.Top+h, len(d.laid)) && yield(i); i++ {
		}
	}
}

func (d *difference) nothing() safe.Text {
	switch {
	case d.err != "":
		return safe.Line(d.err)
	case d.loading:
		return "Comparing."
	}
	return "Neither side has a response to show."
}

// orNothing says why there are no lines where there are none.
func (d *difference) orNothing(sc *library.Scene, w int, body []string) []string {
	if len(d.laid) > 0 {
		return body
	}
	return []string{term.NewLine(w, sc.Glyphs).Gap(2).Put(sc.Theme.Dim, d.nothing()).Finish()}
}

// left is how many cells the first of two columns has.
func (l *layout) left() int { return (l.w + 1) / 2 }

func (d *difference) draw(sc *library.Scene, r *diffRow, w int) string {
	if r.folded > 0 {
		l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Key, sc.Glyphs.Folded).Gap(1)
		return l.Put(sc.Theme.Dim, term.Count(r.folded, "equal line")).Finish()
	}
	dl, here := &d.lines[r.line], d.isHere(r)
	if !d.layout.split {
		l := term.NewLine(w, sc.Glyphs)
		drawSide(sc, l, dl, r, r.left, r.sign, here)
		return l.Finish()
	}
	was, now := byte(' '), byte(' ')
	switch {
	case r.kind == replay.LineIgnored:
		was, now = '~', '~'
	case r.kind != replay.LineSame:
		was, now = '-', '+'
	}
	a, b := term.NewLine(d.layout.left(), sc.Glyphs), term.NewLine(w-d.layout.left(), sc.Glyphs)
	drawSide(sc, a, dl, r, r.left, was, here)
	drawSide(sc, b, dl, r, r.right, now, here)
	return a.Finish() + b.Finish()
}

// isHere says whether a row belongs to the change that is looked at.
func (d *difference) isHere(r *diffRow) bool {
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
	return words.Unmatched(was, now)
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
