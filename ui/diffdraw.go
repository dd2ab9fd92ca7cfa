package ui

import "midwire/session/safe"

// sideTitle is what stands above one of two answers.
func sideTitle(name string, n uint32, a *ComparedAnswer) (left, right safe.Text) {
	left = safe.Text(name)
	if n > 0 {
		left += safe.Text(" #" + itoa(int(n)))
	}
	if a.There && a.None == "" {
		right = duration(int64(a.Took))
		if a.Body != nil {
			right += safe.Text(" · ") + size(int64(len(a.Body)))
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
		right := []seg{{m.th.dim, was + safe.Text(" "+m.sg.arrow+" ") + now}, {m.th.title, "  " + c.deltaText()}}
		if w < 60 {
			right = right[:0]
		}
		out = append(out, m.title(w, "- recorded  + now", true, right...).finish())
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
		out = append(out, newLine(w, &m.sg).gap(3).put(m.th.dim, text).finish())
	}
	for len(out) < h-foot {
		l := newLine(w, &m.sg)
		if d.mode {
			l.gap((w-1)/2).put(m.th.frame, safe.Text(m.sg.v))
		}
		out = append(out, l.finish())
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
	left := m.title(half, was, true, seg{m.th.dim, wasAt}).finish()
	right := m.title(w-half-1, now, true, seg{m.th.dim, nowAt}, seg{m.th.title, "  " + c.deltaText()}).finish()
	return left + newLine(1, &m.sg).put(m.th.frame, safe.Text(m.sg.tDown)).finish() + right
}

func (m *Model) drawDiffRow(r *diffRow, w int) string {
	d := &m.replay.diff
	dl := &d.lines[r.line]
	here := d.at >= 0 && dl.Kind != DiffSame && dl.Path == d.lines[d.at].Path
	if !d.mode {
		l := newLine(w, &m.sg)
		m.drawSide(l, dl, r.left, r.sign, here)
		return l.finish()
	}
	half := (w - 1) / 2
	a, b := newLine(half, &m.sg), newLine(w-half-1, &m.sg)
	was, now := byte(' '), byte(' ')
	switch {
	case r.kind == DiffIgnored:
		was, now = '~', '~'
	case r.kind != DiffSame:
		was, now = '-', '+'
	}
	m.drawSide(a, dl, r.left, was, here)
	m.drawSide(b, dl, r.right, now, here)
	return a.finish() + newLine(1, &m.sg).put(m.th.frame, safe.Text(m.sg.v)).finish() + b.finish()
}

// drawSide draws one side of a row. Why a difference does not count stands
// behind it.
func (m *Model) drawSide(l *line, dl *DiffLine, text string, sign byte, here bool) {
	if text == "" {
		return
	}
	st := plain
	switch sign {
	case '-':
		st = m.th.err
	case '+':
		st = m.th.ok
	case '~':
		st = m.th.dim
	}
	if here {
		l.put(m.th.key, safe.Text(m.sg.bar))
	}
	l.gap(1-l.w).put(st, safe.Text(string(rune(sign)))).gap(1)
	(&pen{l: l, th: &m.th}).marked(st, text)
	if sign == '~' && dl.Why != "" && l.max-l.w > len(dl.Why)+4 {
		l.gap(2).put(m.th.dim, "ignored: "+safe.Line(dl.Why))
	}
}

// drawDiffFoot sums the difference up below it.
func (m *Model) drawDiffFoot(c *ComparedCall, w int) []string {
	d := &m.replay.diff
	l := newLine(w, &m.sg).fill(m.th.frame, m.sg.h, w)
	if d.mode {
		half := (w - 1) / 2
		l = newLine(w, &m.sg).fill(m.th.frame, m.sg.h, half).put(m.th.frame, safe.Text(m.sg.tUp)).fill(m.th.frame, m.sg.h, w)
	}
	ignored := map[string]bool{}
	for i := range d.lines {
		if d.lines[i].Kind == DiffIgnored {
			ignored[d.lines[i].Path] = true
		}
	}
	t := newLine(w, &m.sg).gap(1).put(m.verdictStyle(c.Verdict), safe.Text(c.Verdict.words())).gap(2)
	tail := safe.Text("")
	if n := len(ignored); n > 0 {
		tail = "  " + count(n, "path") + " ignored "
	}
	what := safe.Line(c.Note)
	switch {
	case d.at >= 0 && d.at < len(d.lines):
		what = safe.Line(d.lines[d.at].Path)
		if n := len(c.Changes); n > 1 {
			what += "  of " + count(n, "change")
		}
	case what == "" && len(c.Changes) == 0 && c.Verdict == CallSame:
		what = "no difference that counts"
	}
	t.putMax(plain, what, w-width(tail)-t.w-1)
	t.gap(w-width(tail)-t.w).put(m.th.dim, tail)
	return []string{l.finish(), t.finish()}
}
