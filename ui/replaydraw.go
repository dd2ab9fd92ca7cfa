package ui

import (
	"strings"

	"midwire/session/safe"
)

// drawReplay draws the screen of a comparison: its calls, or one of them.
func (m *Model) drawReplay() []string {
	r := m.lay.replay
	if m.replay.diff.open {
		return m.drawDiff(r.w, r.h)
	}
	below := 0
	if r.h >= 16 {
		below = min(max(r.h/3, 7), 12)
	}
	out := []string{m.title(r.w, "Calls", true, m.replayState(r.w)...).finish()}
	out = append(out, m.drawCalls(r.w, r.h-1-below)...)
	if below > 0 {
		out = append(out, m.title(r.w, "Difference", false, seg{m.th.dim, "enter shows it all"}).finish())
		out = append(out, m.drawAboutCall(r.w, below-1)...)
	}
	return out
}

func (m *Model) verdictStyle(v CallVerdict) style {
	return [callVerdicts]style{m.th.dim, m.th.warn, m.th.err, m.th.note, m.th.err, m.th.ok, m.th.warn, m.th.dim}[v]
}

// replayState sums the comparison up; where there is no room for all, what is
// the same goes first.
func (m *Model) replayState(w int) []seg {
	c := m.replay.result
	var out []seg
	n := 0
	add := func(st style, t safe.Text) {
		if len(out) > 0 {
			t = "  " + t
		}
		if n+width(t) > w-16 {
			return
		}
		out, n = append(out, seg{st, t}), n+width(t)
	}
	if m.replay.only {
		add(m.th.pend, "only differences")
	}
	counts := c.counts()
	for _, v := range [...]CallVerdict{CallBroken, CallMissing, CallChanged, CallExtra, CallFixed, CallSlower, CallSkipped, CallSame} {
		if counts[v] > 0 {
			add(m.verdictStyle(v), number(counts[v])+safe.Text(" "+v.words()))
		}
	}
	if k := len(c.Problems); k > 0 {
		add(m.th.warn, count(k, "problem"))
	}
	return out
}

// callColumns are the widths of the columns of a list of compared calls.
type callColumns struct {
	num, label, sign, took, delta, verdict, about int
	long                                          bool // both latencies have room
	sessions                                      bool // there are several, and room to tell them
}

func columnsOfCalls(w int, calls []ComparedCall) callColumns {
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

func (m *Model) drawCalls(w, h int) []string {
	p := &m.replay
	col := columnsOfCalls(w, p.result.Calls)
	l := newLine(w, &m.sg).gap(2).cell(m.th.dim, "#", col.num).cell(m.th.dim, "call", col.label)
	l.cell(m.th.dim, "rec", col.sign).cell(m.th.dim, "now", col.sign)
	if col.long {
		l.right(m.th.dim, "recorded", col.took).right(m.th.dim, "now", col.took)
	}
	l.right(m.th.dim, safe.Text(m.delta()), col.delta).gap(1).put(m.th.dim, "verdict")
	out := []string{l.finish()}
	p.height = max(h-1, 0)
	p.scroll(0)
	for i := p.top; i < len(p.vis) && len(out) < h; i++ {
		out = append(out, m.drawCall(&col, w, i))
	}
	if len(p.vis) == 0 && len(out) < h {
		out = append(out, newLine(w, &m.sg).gap(3).put(m.th.dim, "Nothing differs. f shows all calls").finish())
	}
	return append(out, blanks(h-len(out), w)...)
}

func (m *Model) delta() string {
	if m.opts.ASCII {
		return "diff"
	}
	return "Δ"
}

func (m *Model) drawCall(col *callColumns, w, i int) string {
	p := &m.replay
	l := newLine(w, &m.sg)
	if i == p.sel {
		l.selected(&m.th, true)
		l.put(m.th.key, safe.Text(m.sg.bar))
	}
	l.gap(2 - l.w)
	if p.vis[i] >= len(p.result.Calls) {
		return l.put(m.th.warn, safe.Text(m.sg.warn)+" ").put(plain, safe.Line(p.result.Problems[p.vis[i]-len(p.result.Calls)])).finish()
	}
	c := &p.result.Calls[p.vis[i]]
	num := safe.Text(c.number())
	if col.sessions {
		num += safe.Text(" s" + itoa(c.Session))
	}
	l.cell(m.th.dim, num, col.num)
	from := l.w
	l.putMax(plain, safe.Line(c.Method), col.label-1).gap(min(1, from+col.label-1-l.w))
	l.putMax(bold, safe.Line(c.Target), from+col.label-1-l.w).gap(from + col.label - l.w)
	for _, a := range [...]*ComparedAnswer{&c.Was, &c.Now} {
		t, st := m.answerSign(a)
		l.gap(1).cell(st, t, col.sign-1)
	}
	if col.long {
		l.right(m.th.dim, tookText(&c.Was), col.took).right(plain, tookText(&c.Now), col.took)
	}
	st := m.th.dim
	if c.Slower {
		st = m.th.warn
	}
	l.right(st, c.deltaText(), col.delta)
	l.gap(1).cell(m.verdictStyle(c.Verdict), safe.Text(c.Verdict.words()), col.verdict)
	if col.about >= 8 {
		l.put(m.th.dim, safe.Line(c.about()))
	}
	return l.finish()
}

func (m *Model) answerSign(a *ComparedAnswer) (safe.Text, style) {
	switch {
	case !a.There:
		return safe.Text(m.sg.dot), m.th.dim
	case a.None != "" && !a.Failed:
		return safe.Text(m.sg.cancel), m.th.dim
	case a.Failed:
		return safe.Text(m.sg.err), m.th.err
	}
	return safe.Text(m.sg.ok), m.th.ok
}

func tookText(a *ComparedAnswer) safe.Text {
	if !a.There || a.None != "" {
		return ""
	}
	return duration(int64(a.Took))
}

// deltaText is how much longer the second answer took.
func (c *ComparedCall) deltaText() safe.Text {
	if !c.Was.There || !c.Now.There || c.Was.None+c.Now.None != "" {
		return ""
	}
	d := c.Now.Took - c.Was.Took
	if d >= 0 {
		return "+" + duration(int64(d))
	}
	return duration(int64(d))
}

// drawAboutCall says what is different about the selected call.
func (m *Model) drawAboutCall(w, h int) []string {
	p := &m.replay
	d := doc{w: w - 4}
	if i, ok := p.selected(); ok {
		m.callDoc(&d, &p.result.Calls[i])
	} else if p.sel < len(p.vis) {
		d.text(m.th.warn, safe.Line(p.result.Problems[p.vis[p.sel]-len(p.result.Calls)]))
	}
	for _, s := range p.result.Remarks {
		d.text(m.th.dim, "note: "+safe.Line(s))
	}
	out := make([]string, 0, h)
	for i := range d.lines {
		if len(out) == h {
			break
		}
		l := newLine(w, &m.sg).gap(2)
		d.lines[i].draw(l, &m.th)
		out = append(out, l.finish())
	}
	return append(out, blanks(h-len(out), w)...)
}

func (m *Model) callDoc(d *doc, c *ComparedCall) {
	note := safe.Line(c.Note)
	if c.Verdict == CallFixed && note != "" {
		note = "was " + note
	}
	if note == "" && c.Verdict == CallSame {
		note = "nothing differs that counts"
	}
	d.add(seg{m.verdictStyle(c.Verdict), safe.Text(c.Verdict.words())}, seg{plain, "  " + note})
	if c.Slower {
		d.text(m.th.warn, "slower: "+tookText(&c.Now)+", was "+tookText(&c.Was))
	}
	for _, ch := range c.Changes {
		d.add(seg{bold, safe.Line(ch.Path)}, seg{m.th.dim, safe.Text(" " + ch.Kind)})
		if ch.Was != "" {
			d.lines = append(d.lines, docLine{segs: []seg{{m.th.err, "  - "}, {plain, safe.Line(ch.Was)}}})
		}
		if ch.Now != "" {
			d.lines = append(d.lines, docLine{segs: []seg{{m.th.ok, "  + "}, {plain, safe.Line(ch.Now)}}})
		}
	}
	for _, s := range c.Schema {
		d.text(m.th.warn, "breaks its output schema: "+safe.Line(s))
	}
}

// replayCrumbs say in the header what is compared.
func (m *Model) replayCrumbs() []safe.Text {
	p := &m.replay
	out := []safe.Text{safe.Line(p.result.FirstName)}
	if p.diff.open {
		c := &p.result.Calls[p.diff.call]
		out = append(out, safe.Text(c.number()+" ")+safe.Line(c.label()))
	}
	switch {
	case p.replayed && p.of.Params != nil:
		return append(out, "replay, edited")
	case p.replayed:
		return append(out, "replay")
	}
	return append(out, "compared with "+safe.Line(p.result.SecondName))
}

func (m *Model) replayHead() []seg {
	c := m.replay.result
	if !m.replay.replayed || m.w < 80 || m.replay.diff.open && m.w < 100 {
		return []seg{{m.th.dim, count(len(c.Calls), "call") + " "}}
	}
	return []seg{{m.th.dim, "against " + cutText(safe.Line(c.SecondName), m.w/3, &m.sg) + "   "}, {plain, count(len(c.Calls), "call")}, {m.th.dim, " in " + duration(int64(c.Took)) + " "}}
}

// told says where the other side is kept.
func (p *replays) told() safe.Text {
	switch c := p.result; {
	case p.replayed && c.Second != "":
		return "recorded as " + safe.Line(c.Second)
	default:
		return safe.Line(c.summary())
	}
}

// drawProgress says in the status line how far a replay is.
func (m *Model) drawProgress(l *line) {
	run := m.replay.running
	at := run.shown
	l.gap(1).put(m.th.pend, "replaying ").put(bold, number(at.Done)+"/"+number(at.All)).gap(1)
	const bar = 20
	full := 0
	if at.All > 0 {
		full = min(bar, at.Done*bar/at.All)
	}
	from := l.w
	l.fill(m.th.ok, m.sg.full, from+full).fill(m.th.frame, m.sg.rest, from+bar).gap(2)
	switch {
	case run.over:
		l.put(m.th.warn, "stopping")
	case run.step != nil && at.Next != "":
		l.put(m.th.key, "space").put(m.th.dim, " sends ").putMax(plain, safe.Line(at.Next), l.max-l.w-12).put(m.th.dim, "  ").put(m.th.key, "esc").put(m.th.dim, " stops")
	default:
		l.put(m.th.key, "esc").put(m.th.dim, " stops it")
	}
}

// replayName names the recording of a replay by what it is a replay of: its
// label has the id, "replay of ID: TARGET". It is "" for any other recording.
func (m *Model) replayName(label string) string {
	rest, ok := strings.CutPrefix(label, "replay of ")
	id, _, ok2 := strings.Cut(rest, ": ")
	if of := m.rec(id); ok && ok2 && of != nil {
		return "replay of " + string(of.name())
	}
	return ""
}
