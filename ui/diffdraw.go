package ui

import (
	"strconv"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/term"
)

// sideTitle is what stands above one of two answers.
func sideTitle(name string, n uint32, a *ComparedAnswer) (left, right safe.Text) {
	left = safe.Text(name)
	if n > 0 {
		left += safe.Text(" #" + strconv.Itoa(int(n)))
	}
	if a.There && a.None == "" {
		right = term.Duration(int64(a.Took))
		if a.Body != nil {
			right += safe.Text(" · ") + term.Size(int64(len(a.Body)))
		}
	}
	return left, right
}

// drawDiff draws the two answers to a call.
func (m *Model) drawDiff(w, h int) []string {
	d := &m.replay.diff
	c := &m.replay.result.Calls[d.call]
	foot := 2
	d.height = max(h-1-foot, 1)
	m.layDiff(w)
	d.scroll(0)
	var out []string
	if d.isSplit(w) {
		out = append(out, m.drawSplitTitle(c, w))
	} else {
		_, was := sideTitle("", c.Frame, &c.Was)
		_, now := sideTitle("", c.Other, &c.Now)
		right := []term.Seg{term.S(m.th.Dim, was+safe.Text(" "+m.sg.Arrow+" ")+now), term.S(m.th.Title, "  "+c.deltaText())}
		if w < 60 {
			right = right[:0]
		}
		out = append(out, m.title(w, "- recorded  + now", true, right...).Finish())
	}
	for i := d.top; i < len(d.rows) && len(out) < h-foot; i++ {
		out = append(out, m.drawDiffRow(&d.rows[i], w))
	}
	if len(d.rows) == 0 {
		text := safe.Text("Neither side has an answer to show.")
		switch {
		case d.err != "":
			text = safe.Line(d.err)
		case d.loading:
			text = "Comparing."
		}
		out = append(out, term.NewLine(w, &m.sg).Gap(3).Put(m.th.Dim, text).Finish())
	}
	for len(out) < h-foot {
		l := term.NewLine(w, &m.sg)
		if d.mode {
			l.Gap((w-1)/2).Put(m.th.Frame, safe.Text(m.sg.V))
		}
		out = append(out, l.Finish())
	}
	return append(out, m.drawDiffFoot(c, w)...)
}

func (m *Model) drawSplitTitle(c *ComparedCall, w int) string {
	was, wasAt := sideTitle("Recorded", c.Frame, &c.Was)
	name := "Now"
	if m.replay.replayed {
		name = "Replayed"
	}
	now, nowAt := sideTitle(name, c.Other, &c.Now)
	half := (w - 1) / 2
	left := m.title(half, was, true, term.S(m.th.Dim, wasAt)).Finish()
	right := m.title(w-half-1, now, true, term.S(m.th.Dim, nowAt), term.S(m.th.Title, "  "+c.deltaText())).Finish()
	return left + term.NewLine(1, &m.sg).Put(m.th.Frame, safe.Text(m.sg.TDown)).Finish() + right
}

func (m *Model) drawDiffRow(r *diffRow, w int) string {
	d := &m.replay.diff
	dl := &d.lines[r.line]
	here := d.at >= 0 && dl.Kind != DiffSame && dl.Path == d.lines[d.at].Path
	if !d.mode {
		l := term.NewLine(w, &m.sg)
		m.drawSide(l, dl, r.left, r.sign, here)
		return l.Finish()
	}
	half := (w - 1) / 2
	a, b := term.NewLine(half, &m.sg), term.NewLine(w-half-1, &m.sg)
	was, now := byte(' '), byte(' ')
	switch {
	case r.kind == DiffIgnored:
		was, now = '~', '~'
	case r.kind != DiffSame:
		was, now = '-', '+'
	}
	m.drawSide(a, dl, r.left, was, here)
	m.drawSide(b, dl, r.right, now, here)
	return a.Finish() + term.NewLine(1, &m.sg).Put(m.th.Frame, safe.Text(m.sg.V)).Finish() + b.Finish()
}

// drawSide draws one side of a row. Why a difference does not count stands
// behind it.
func (m *Model) drawSide(l *term.Line, dl *DiffLine, text string, sign byte, here bool) {
	if text == "" {
		return
	}
	st := term.Plain
	switch sign {
	case '-':
		st = m.th.Err
	case '+':
		st = m.th.Ok
	case '~':
		st = m.th.Dim
	}
	if here {
		l.Put(m.th.Key, safe.Text(m.sg.Bar))
	}
	l.Gap(1-l.Used).Put(st, safe.Text(string(rune(sign)))).Gap(1)
	(&document.Pen{L: l, Th: &m.th}).Marked(st, text)
	if sign == '~' && dl.Why != "" && l.Max-l.Used > len(dl.Why)+4 {
		l.Gap(2).Put(m.th.Dim, "ignored: "+safe.Line(dl.Why))
	}
}

// drawDiffFoot sums the difference up below it.
func (m *Model) drawDiffFoot(c *ComparedCall, w int) []string {
	d := &m.replay.diff
	l := term.NewLine(w, &m.sg).Fill(m.th.Frame, m.sg.H, w)
	if d.mode {
		half := (w - 1) / 2
		l = term.NewLine(w, &m.sg).Fill(m.th.Frame, m.sg.H, half).Put(m.th.Frame, safe.Text(m.sg.TUp)).Fill(m.th.Frame, m.sg.H, w)
	}
	ignored := map[string]bool{}
	for i := range d.lines {
		if d.lines[i].Kind == DiffIgnored {
			ignored[d.lines[i].Path] = true
		}
	}
	t := term.NewLine(w, &m.sg).Gap(1).Put(m.verdictStyle(c.Verdict), safe.Text(c.Verdict.words())).Gap(2)
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
	case what == "" && len(c.Changes) == 0 && c.Verdict == CallSame:
		what = "no difference that counts"
	}
	t.PutMax(term.Plain, what, w-term.Width(tail)-t.Used-1)
	t.Gap(w-term.Width(tail)-t.Used).Put(m.th.Dim, tail)
	return []string{l.Finish(), t.Finish()}
}
