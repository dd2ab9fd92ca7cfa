package ui

import (
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/term"
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
	out := []string{m.title(r.w, "Calls", true, m.replayState(r.w)...).Finish()}
	out = append(out, m.drawCalls(r.w, r.h-1-below)...)
	if below > 0 {
		out = append(out, m.title(r.w, "Difference", false, term.S(m.th.Dim, "enter shows it all")).Finish())
		out = append(out, m.drawAboutCall(r.w, below-1)...)
	}
	return out
}

func (m *Model) verdictStyle(v CallVerdict) term.Style {
	return [callVerdicts]term.Style{m.th.Dim, m.th.Warn, m.th.Err, m.th.Note, m.th.Err, m.th.Ok, m.th.Warn, m.th.Dim}[v]
}

// replayState sums the comparison up; where there is no room for all, what is
// the same goes first.
func (m *Model) replayState(w int) []term.Seg {
	c := m.replay.result
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
	if m.replay.only {
		add(m.th.Pend, "only differences")
	}
	counts := c.counts()
	for _, v := range [...]CallVerdict{CallBroken, CallMissing, CallChanged, CallExtra, CallFixed, CallSlower, CallSkipped, CallSame} {
		if counts[v] > 0 {
			add(m.verdictStyle(v), term.Number(counts[v])+safe.Text(" "+v.words()))
		}
	}
	if k := len(c.Problems); k > 0 {
		add(m.th.Warn, term.Count(k, "problem"))
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
	l := term.NewLine(w, &m.sg).Gap(2).Cell(m.th.Dim, "#", col.num).Cell(m.th.Dim, "call", col.label)
	l.Cell(m.th.Dim, "rec", col.sign).Cell(m.th.Dim, "now", col.sign)
	if col.long {
		l.Right(m.th.Dim, "recorded", col.took).Right(m.th.Dim, "now", col.took)
	}
	l.Right(m.th.Dim, safe.Text(m.delta()), col.delta).Gap(1).Put(m.th.Dim, "verdict")
	out := []string{l.Finish()}
	p.height = max(h-1, 0)
	p.scroll(0)
	for i := p.top; i < len(p.vis) && len(out) < h; i++ {
		out = append(out, m.drawCall(&col, w, i))
	}
	if len(p.vis) == 0 && len(out) < h {
		out = append(out, term.NewLine(w, &m.sg).Gap(3).Put(m.th.Dim, "Nothing differs. f shows all calls").Finish())
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

func (m *Model) delta() string {
	if m.opts.ASCII {
		return "diff"
	}
	return "Δ"
}

func (m *Model) drawCall(col *callColumns, w, i int) string {
	p := &m.replay
	l := term.NewLine(w, &m.sg)
	if i == p.sel {
		l.Selected(&m.th, true)
		l.Put(m.th.Key, safe.Text(m.sg.Bar))
	}
	l.Gap(2 - l.Used)
	if p.vis[i] >= len(p.result.Calls) {
		return l.Put(m.th.Warn, safe.Text(m.sg.Warn)+" ").Put(term.Plain, safe.Line(p.result.Problems[p.vis[i]-len(p.result.Calls)])).Finish()
	}
	c := &p.result.Calls[p.vis[i]]
	num := safe.Text(c.number())
	if col.sessions {
		num += safe.Text(" s" + strconv.Itoa(c.Session))
	}
	l.Cell(m.th.Dim, num, col.num)
	from := l.Used
	l.PutMax(term.Plain, safe.Line(c.Method), col.label-1).Gap(min(1, from+col.label-1-l.Used))
	l.PutMax(term.Bold, safe.Line(c.Target), from+col.label-1-l.Used).Gap(from + col.label - l.Used)
	for _, a := range [...]*ComparedAnswer{&c.Was, &c.Now} {
		t, st := m.answerSign(a)
		l.Gap(1).Cell(st, t, col.sign-1)
	}
	if col.long {
		l.Right(m.th.Dim, tookText(&c.Was), col.took).Right(term.Plain, tookText(&c.Now), col.took)
	}
	st := m.th.Dim
	if c.Slower {
		st = m.th.Warn
	}
	l.Right(st, c.deltaText(), col.delta)
	l.Gap(1).Cell(m.verdictStyle(c.Verdict), safe.Text(c.Verdict.words()), col.verdict)
	if col.about >= 8 {
		l.Put(m.th.Dim, safe.Line(c.about()))
	}
	return l.Finish()
}

func (m *Model) answerSign(a *ComparedAnswer) (safe.Text, term.Style) {
	switch {
	case !a.There:
		return safe.Text(m.sg.Dot), m.th.Dim
	case a.None != "" && !a.Failed:
		return safe.Text(m.sg.Cancel), m.th.Dim
	case a.Failed:
		return safe.Text(m.sg.Err), m.th.Err
	}
	return safe.Text(m.sg.Ok), m.th.Ok
}

func tookText(a *ComparedAnswer) safe.Text {
	if !a.There || a.None != "" {
		return ""
	}
	return term.Duration(int64(a.Took))
}

// deltaText is how much longer the second answer took.
func (c *ComparedCall) deltaText() safe.Text {
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
func (m *Model) drawAboutCall(w, h int) []string {
	p := &m.replay
	d := document.Doc{Width: w - 4}
	if i, ok := p.selected(); ok {
		m.callDoc(&d, &p.result.Calls[i])
	} else if p.sel < len(p.vis) {
		d.Text(m.th.Warn, safe.Line(p.result.Problems[p.vis[p.sel]-len(p.result.Calls)]))
	}
	for _, s := range p.result.Remarks {
		d.Text(m.th.Dim, "note: "+safe.Line(s))
	}
	out := make([]string, 0, h)
	for i := range d.Lines {
		if len(out) == h {
			break
		}
		l := term.NewLine(w, &m.sg).Gap(2)
		d.Lines[i].Draw(l, &m.th)
		out = append(out, l.Finish())
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

func (m *Model) callDoc(d *document.Doc, c *ComparedCall) {
	note := safe.Line(c.Note)
	if c.Verdict == CallFixed && note != "" {
		note = "was " + note
	}
	if note == "" && c.Verdict == CallSame {
		note = "nothing differs that counts"
	}
	d.Add(term.S(m.verdictStyle(c.Verdict), safe.Text(c.Verdict.words())), term.S(term.Plain, "  "+note))
	if c.Slower {
		d.Text(m.th.Warn, "slower: "+tookText(&c.Now)+", was "+tookText(&c.Was))
	}
	for _, ch := range c.Changes {
		d.Add(term.S(term.Bold, safe.Line(ch.Path)), term.S(m.th.Dim, safe.Text(" "+ch.Kind)))
		if ch.Was != "" {
			d.Lines = append(d.Lines, document.Line{Segs: []term.Seg{term.S(m.th.Err, "  - "), term.S(term.Plain, safe.Line(ch.Was))}})
		}
		if ch.Now != "" {
			d.Lines = append(d.Lines, document.Line{Segs: []term.Seg{term.S(m.th.Ok, "  + "), term.S(term.Plain, safe.Line(ch.Now))}})
		}
	}
	for _, s := range c.Schema {
		d.Text(m.th.Warn, "breaks its output schema: "+safe.Line(s))
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

func (m *Model) replayHead() []term.Seg {
	c := m.replay.result
	if !m.replay.replayed || m.w < 80 || m.replay.diff.open && m.w < 100 {
		return []term.Seg{term.S(m.th.Dim, term.Count(len(c.Calls), "call")+" ")}
	}
	return []term.Seg{term.S(m.th.Dim, "against "+cutText(safe.Line(c.SecondName), m.w/3, &m.sg)+"   "), term.S(term.Plain, term.Count(len(c.Calls), "call")), term.S(m.th.Dim, " in "+term.Duration(int64(c.Took))+" ")}
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
func (m *Model) drawProgress(l *term.Line) {
	run := m.replay.running
	at := run.shown
	l.Gap(1).Put(m.th.Pend, "replaying ").Put(term.Bold, term.Number(at.Done)+"/"+term.Number(at.All)).Gap(1)
	const bar = 20
	full := 0
	if at.All > 0 {
		full = min(bar, at.Done*bar/at.All)
	}
	from := l.Used
	l.Fill(m.th.Ok, m.sg.Full, from+full).Fill(m.th.Frame, m.sg.Rest, from+bar).Gap(2)
	switch {
	case run.over:
		l.Put(m.th.Warn, "stopping")
	case run.step != nil && at.Next != "":
		l.Put(m.th.Key, "space").Put(m.th.Dim, " sends ").PutMax(term.Plain, safe.Line(at.Next), l.Max-l.Used-12).Put(m.th.Dim, "  ").Put(m.th.Key, "esc").Put(m.th.Dim, " stops")
	default:
		l.Put(m.th.Key, "esc").Put(m.th.Dim, " stops it")
	}
}

// replayName names the recording of a replay by what it is a replay of: its
// label has the id, "replay of ID: TARGET". It is "" for any other recording.
func (m *Model) replayName(label string) string {
	rest, ok := strings.CutPrefix(label, "replay of ")
	id, _, ok2 := strings.Cut(rest, ": ")
	if of := m.rec(id); ok && ok2 && of != nil {
		return "replay of " + string(of.Name())
	}
	return ""
}
