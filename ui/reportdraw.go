package ui

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// maxProse is how wide explanations are at most, so that they can be read.
const maxProse = 110

// drawReport draws the findings and the explanation of the selected one.
func (m *Model) drawReport(sc *library.Scene) []string {
	var out []string
	if r := m.lay.report; r.h > 0 {
		out = append(out, m.drawReportTitle(r.w))
		out = append(out, m.drawEntries(sc, r.w, r.h-1)...)
	}
	if r := m.lay.explain; r.h > 0 {
		text := m.drawExplanation(sc, r.w, r.h-1)
		out = append(append(out, m.title(r.w, "Explanation", m.report.reading, m.pageState(r.w)...).Finish()), text...)
	}
	return out
}

// choices are the switches in the title of the report: what is shown, and in
// which order.
func (m *Model) choices(w int) (segs []term.Seg, does []action) {
	p := &m.report
	long := w >= 90
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		sign, st := m.scene().Severity(s)
		name, box := safe.Text(sign), safe.Text(" [x] ")
		if long {
			name = [...]safe.Text{"", "errors", "warnings", "notes"}[s]
		}
		if p.hidden[s] {
			box, st = " [ ] ", m.th.Dim
		}
		segs = append(segs, term.S(st, name+box+term.Number(p.shown[s])), term.S(term.Plain, "  "))
		does = append(does, actErrors+action(s-diagnose.Error), actNone)
	}
	order := safe.Text("worst first")
	if p.byTime {
		order = "by time"
	}
	return append(segs, term.S(m.th.Dim, order)), append(does, actOrder)
}

func (m *Model) drawReportTitle(w int) string {
	segs, _ := m.choices(w)
	return m.title(w, "Findings", !m.report.reading, segs...).Finish()
}

// choiceAt is the switch at a column of the title.
func (m *Model) choiceAt(x, w int) action {
	segs, does := m.choices(w)
	n := 0
	for _, s := range segs {
		n += term.Width(s.Text)
	}
	for i, at := 0, w-n-2; i < len(segs); i++ {
		if at += term.Width(segs[i].Text); x < at && x >= at-term.Width(segs[i].Text) {
			return does[i]
		}
	}
	return actNone
}

func (m *Model) drawEntries(sc *library.Scene, w, h int) []string {
	p := &m.report
	p.height = h
	p.scroll(0)
	if len(p.entries) == 0 {
		out := m.drawNoFindings(w)
		return append(out[:min(len(out), h)], term.Blanks(h-len(out), w)...)
	}
	ids := 0
	for i := range p.entries {
		ids = max(ids, min(len(p.entries[i].rule.ID), 34))
	}
	out := make([]string, 0, h)
	for i := p.top; i < len(p.entries) && len(out) < h; i++ {
		e := &p.entries[i]
		l := term.NewLine(w, &m.sg)
		if e.entryKey == p.sel {
			l.Selected(&m.th, !p.reading)
			l.Put(m.th.Key, safe.Text(m.sg.Bar))
		}
		l.Gap(1 - l.Used)
		switch {
		case e.f == nil:
			m.drawRuleEntry(l, sc, e, ids)
		case e.n == 0:
			m.drawFinding(l, sc, e)
		default:
			drawEvidence(l, sc, e)
		}
		out = append(out, l.Finish())
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

func (e *entry) sign(sg *term.Glyphs) safe.Text {
	if e.open {
		return safe.Text(sg.Open)
	}
	return safe.Text(sg.Folded)
}

// writeTimes is how often something was seen, "" for once.
func times(n int, sc *library.Scene) safe.Text {
	if n < 2 {
		return ""
	}
	return term.Number(n) + safe.Text(sc.Glyphs.Times)
}

// drawRuleEntry draws the line of a rule: how bad, which, how often, what.
func (m *Model) drawRuleEntry(l *term.Line, sc *library.Scene, e *entry, ids int) {
	g := e.group
	sign, st := sc.Severity(g.at)
	word, idSt, textSt := safe.Text(g.at.String()), term.Bold, term.Plain
	if g.muted {
		sign, st, word, idSt, textSt = sc.Glyphs.Cancel, sc.Theme.Dim, "muted", sc.Theme.Dim, sc.Theme.Dim
	}
	l.Gap(1).Put(st, safe.Text(sign)).Gap(1)
	if l.Max >= 70 {
		l.Cell(st, word, 8)
	}
	l.Put(sc.Theme.Dim, e.sign(sc.Glyphs)).Gap(1)
	end := l.Max - m.report.tail()
	if l.Max >= 100 {
		l.Cell(idSt, safe.Line(e.rule.ID), ids).Gap(2)
	}
	l.PutMax(textSt, safe.Line(e.rule.Title), end-l.Used-1).Gap(end - l.Used)
	e.drawTail(l, sc, g.seen)
}

// tail is how many cells the end of such a line takes: how often, and where.
func (p *report) tail() int {
	if p.often {
		return 6 + 7 + margin
	}
	return 7 + margin
}

// drawTail ends the line of a rule or finding.
func (e *entry) drawTail(l *term.Line, sc *library.Scene, seen int) {
	if room := l.Max - 7 - margin - l.Used; room > 0 {
		l.Right(sc.Theme.Dim, times(seen, sc), room)
	}
	where := safe.Text("")
	if len(e.about.Frames) > 0 {
		where = "#" + safe.Int(int(e.about.Frames[0]))
	}
	l.Right(sc.Theme.Dim, where, 7)
}

// drawFinding draws the line of one finding of several of its rule.
func (m *Model) drawFinding(l *term.Line, sc *library.Scene, e *entry) {
	sign, st := sc.Severity(e.about.Severity)
	if e.group.muted {
		sign, st = sc.Glyphs.Dot, sc.Theme.Dim
	}
	l.Gap(3).Put(sc.Theme.Dim, e.sign(sc.Glyphs)).Gap(1).Put(st, safe.Text(sign)).Gap(1)
	if m.report.reach != reachSession && l.Max >= 70 {
		l.Cell(sc.Theme.Dim, e.about.where(m), 14).Gap(1)
	}
	end := l.Max - m.report.tail()
	l.PutMax(term.Plain, safe.Line(e.about.Message), end-l.Used-1).Gap(end - l.Used)
	e.drawTail(l, sc, e.about.Count)
}

// where names the session of a finding, or its recording where there are
// several.
func (f located) where(m *Model) safe.Text {
	s := f.rec.Session(f.Session)
	switch {
	case m.report.reach == reachAll || s == nil:
		return f.rec.Name()
	case s.ID != "":
		return shortID(s.ID, &m.sg)
	case s.Client.Name != "":
		return peerText(s.Client)
	}
	return "session " + safe.Int(s.Index+1)
}

func drawEvidence(l *term.Line, sc *library.Scene, e *entry) {
	p := evidenceWords(sc, e.about, e.n)
	l.Gap(7).Cell(sc.Theme.Note, p.num, max(6, term.Width(p.num)+1))
	if l.Max < 70 {
		l.Put(term.Plain, p.method).Gap(2).Put(sc.Theme.Dim, p.rest())
		return
	}
	l.Cell(term.Plain, p.method, max(17, term.Width(p.method)+1)).Cell(sc.Theme.Dim, p.id, max(8, min(term.Width(p.id), 18)+1))
	l.Right(sc.Theme.Dim, p.time, 10).Gap(2).Put(p.st, p.said)
}

// pageState says which lines of the explanation are seen when that is not all.
func (m *Model) pageState(w int) []term.Seg {
	g := &m.report.page
	var out []term.Seg
	if end := min(g.top+g.height, g.lines); g.lines > g.height {
		out = append(out, term.S(m.th.Pend, term.Number(g.top+1)+"-"+term.Number(end)+" of "+term.Count(g.lines, "line")))
	}
	if w < 70 {
		return out
	}
	if out != nil {
		out = append(out, term.S(term.Plain, "   "))
	}
	return append(out, term.S(m.th.Dim, "y copies it as Markdown"))
}

// drawExplanation draws what there is to say of the selected finding.
func (m *Model) drawExplanation(sc *library.Scene, w, h int) []string {
	p := &m.report
	var d document.Doc
	e := p.selected()
	if e != nil {
		d = m.explanationDoc(sc, e, min(w-3, maxProse))
		if about := (entryKey{e.rule, e.about.Finding, 0}); p.page.of != about {
			p.page = page{of: about}
		}
	}
	p.page.height, p.page.lines = h, len(d.Lines)
	p.page.scroll(0)
	out := make([]string, 0, h)
	for i := p.page.top; i < len(d.Lines) && len(out) < h; i++ {
		l := term.NewLine(w, &m.sg).Gap(1)
		d.Lines[i].Draw(l, &m.th)
		out = append(out, l.Finish())
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

func (m *Model) explanationDoc(sc *library.Scene, e *entry, w int) document.Doc {
	d := document.Doc{Width: w}
	writeExplained(&d, sc, e.about)
	g := e.group
	if e.f == nil && len(g.list) > 1 && !e.open {
		d.Blank()
		d.Add(term.S(sc.Theme.Dim, "  This is the first of "+term.Count(len(g.list), "finding")+" of the rule; "), term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, " lists them."))
	}
	if g.muted {
		d.Add(term.S(sc.Theme.Dim, "  The rule is muted; "), term.S(sc.Theme.Key, "m"), term.S(sc.Theme.Dim, " shows it again."))
	}
	return d
}

// drawNoFindings says why there is nothing to show.
func (m *Model) drawNoFindings(w int) []string {
	p := &m.report
	d := document.Doc{Width: w - 6}
	msgs, read, live := 0, 0, false
	for _, r := range m.recs {
		if p.reach == reachAll || r == m.list.Rec {
			n, _, _ := r.Total()
			msgs += n
			live = live || r.Live
			if r.Loaded() {
				read++
			}
		}
	}
	if p.reach == reachSession {
		if s := m.list.Current(); s != nil {
			msgs = s.Messages
		}
	}
	switch {
	case p.shown.Sum()+p.shown[0] > 0:
		d.Text(term.Plain, "No findings: "+term.Number(p.shown.Sum()+p.shown[0])+" are left out by their severity.")
		d.Text(m.th.Dim, "e errors, w warnings and n notes show them")
	case read == 0:
		d.Text(term.Plain, "No findings: nothing was read yet.")
	default:
		d.Text(term.Plain, "No findings: no rule fired on "+term.Count(msgs, "message")+".")
		d.Text(m.th.Dim, term.Count(len(m.rules), "rule")+" checked")
		if live {
			d.Text(m.th.Dim, "they appear here with the message that causes them")
		}
	}
	if n := m.foundElsewhere(); n > 0 && p.shown == (library.Tally{}) {
		d.Blank()
		d.Text(term.Plain, term.Count(n, "finding")+" in other recordings and sessions: s looks at others")
	}
	return words(m.scene(), w, &d)
}

// foundElsewhere is how many findings are out of the report's reach.
func (m *Model) foundElsewhere() int {
	n := -m.report.shown.Sum()
	for _, r := range m.recs {
		n += r.Findings.Total.Sum()
	}
	return n
}

// reportState sums up the report in the header.
func (m *Model) reportState() []term.Seg {
	p := &m.report
	t := term.Count(p.shown.Sum(), "finding")
	if p.shown.Sum() == 0 {
		t = "no findings"
	} else if m.w >= 80 {
		t += " of " + term.Count(p.rules, "rule")
	}
	out := []term.Seg{term.S(m.th.Dim, t)}
	if n := p.shown[0]; n > 0 {
		out = append(out, term.S(m.th.Dim, safe.Text(strings.Repeat(" ", 2))+term.Number(n)+" muted"))
	}
	return out
}

// reachText says which findings the report is about, and how to see others.
func (m *Model) reachText() safe.Text {
	read := 0
	for _, r := range m.recs {
		if r.Loaded() {
			read++
		}
	}
	t := safe.Text("findings of this recording")
	switch m.report.reach {
	case reachSession:
		t = "findings of this session"
	case reachAll:
		t = "findings of " + term.Count(read, "recording") + ", those that were read"
	}
	if len(m.reaches()) > 1 {
		t += "; s looks at others"
	}
	return t
}

// reportCrumbs says what the report is about.
func (m *Model) reportCrumbs() []safe.Text {
	var out []safe.Text
	switch r := m.list.Rec; {
	case m.report.reach == reachAll || r == nil:
		out = append(out, "all that was read")
	case m.report.reach == reachSession:
		out = m.whereabouts(r)
	default:
		out = append(out, r.Name())
	}
	return append(out, "findings")
}
