package findings

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/view"
)

// maxProse is how wide explanations are at most, so that they can be read.
const maxProse = 110

// draw draws the findings and the explanation of the selected one.
func (p *View) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	p.place(w, h)
	var out []string
	if r := p.list; r.H > 0 {
		segs, _ := p.choices(sc, w)
		out = p.drawEntries(sc, w, r.H, view.Title(sc, w, "Findings", !p.reading, segs...).Finish())
	}
	if r := p.text; r.H > 0 {
		text := p.drawExplanation(sc, w, r.H-1)
		title := view.Title(sc, w, "Explanation", p.reading, p.pageState(sc, w)...).Finish()
		out = append(out, view.Page(w, r.H, title, text)...)
	}
	return out
}

// place gives the findings the lines that they need, and leaves at least half
// for the explanation.
func (p *View) place(w, h int) {
	p.list, p.text = term.Rect{X: 0, Y: 0, W: w, H: h}, term.Rect{X: 0, Y: 0, W: w, H: h}
	small, n := h < 16, len(p.Entries)
	switch {
	case p.reading && small:
		p.list = term.Rect{}
	case h < 11 || n == 0:
		p.text = term.Rect{}
	default:
		most := h / 2
		if small {
			most = h * 2 / 5
		}
		p.list.H = min(max(n, 3)+1, most)
		p.text.Y, p.text.H = p.list.H, h-p.list.H
	}
}

// choices are the switches in the title of the report: what is shown, and in
// which order.
func (p *View) choices(sc *library.Scene, w int) (segs []term.Seg, does []string) {
	long := w >= 90
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		sign, st := sc.Severity(s)
		name, box := sign, safe.Text(" [x] ")
		if long {
			name = [...]safe.Text{"", "errors", "warnings", "notes"}[s]
		}
		if p.hidden[s] {
			box, st = " [ ] ", sc.Theme.Dim
		}
		segs = append(segs, term.S(st, name+box+term.Number(p.shown[s])), term.S(term.Plain, "  "))
		does = append(does, [...]string{"", "findings.errors", "findings.warnings", "findings.notes"}[s], "")
	}
	order := safe.Text("worst first")
	if p.byTime {
		order = "by time"
	}
	return append(segs, term.S(sc.Theme.Dim, order)), append(does, "findings.order")
}

// choiceAt is the switch at a column of the title.
func (p *View) choiceAt(sc *library.Scene, x, w int) string {
	segs, does := p.choices(sc, w)
	for i, at := 0, w-term.SegsWidth(segs)-2; i < len(segs); i++ {
		if at += term.Width(segs[i].Text); x < at && x >= at-term.Width(segs[i].Text) {
			return does[i]
		}
	}
	return ""
}

func (p *View) drawEntries(sc *library.Scene, w, h int, title string) []string {
	if len(p.Entries) == 0 {
		d := p.emptyDoc(sc, w-6)
		return view.Nothing(sc, w, h, title, &d, &p.lines)
	}
	ids := 0
	for i := range p.Entries {
		ids = max(ids, min(len(p.Entries[i].rule.ID), 34))
	}
	return view.List(w, h, []string{title}, &p.lines, len(p.Entries), func(i int) string {
		e := &p.Entries[i]
		l := sc.Row(w, i == p.lines.Sel, !p.reading)
		switch {
		case e.f == nil:
			p.drawRuleEntry(l, sc, e, ids)
		case e.n == 0:
			p.drawFinding(l, sc, e)
		default:
			drawEvidence(l, sc, e)
		}
		return l.Finish()
	})
}

func (e *entry) sign(sg *term.Glyphs) safe.Text {
	if e.open {
		return sg.Open
	}
	return sg.Folded
}

// drawRuleEntry draws the line of a rule: how bad, which, how often, what.
func (p *View) drawRuleEntry(l *term.Line, sc *library.Scene, e *entry, ids int) {
	g := e.group
	sign, st := sc.Severity(g.at)
	word, idSt, textSt := safe.Line(g.at.String()), term.Bold, term.Plain
	if g.muted {
		sign, st, word, idSt, textSt = sc.Glyphs.Cancel, sc.Theme.Dim, "muted", sc.Theme.Dim, sc.Theme.Dim
	}
	l.Gap(1).Put(st, sign).Gap(1)
	if l.Max >= 70 {
		l.Cell(st, word, 8)
	}
	l.Put(sc.Theme.Dim, e.sign(sc.Glyphs)).Gap(1)
	end := l.Max - p.tail()
	if l.Max >= 100 {
		l.Cell(idSt, safe.Line(e.rule.ID), ids).Gap(2)
	}
	l.PutMax(textSt, safe.Line(e.rule.Title), end-l.Used-1).Gap(end - l.Used)
	e.drawTail(l, sc, g.seen)
}

// tail is how many cells the end of such a line takes: how often, and where.
func (p *View) tail() int {
	if p.often {
		return 6 + 7 + messages.Margin
	}
	return 7 + messages.Margin
}

// drawTail ends the line of a rule or finding.
func (e *entry) drawTail(l *term.Line, sc *library.Scene, seen int) {
	if room := l.Max - 7 - messages.Margin - l.Used; room > 0 {
		l.Right(sc.Theme.Dim, view.Times(sc, seen), room)
	}
	where := safe.Text("")
	if len(e.About.Frames) > 0 {
		where = "#" + safe.Int(int(e.About.Frames[0]))
	}
	l.Right(sc.Theme.Dim, where, 7)
}

// drawFinding draws the line of one finding of several of its rule.
func (p *View) drawFinding(l *term.Line, sc *library.Scene, e *entry) {
	sign, st := sc.Severity(e.About.Severity)
	if e.group.muted {
		sign, st = sc.Glyphs.Dot, sc.Theme.Dim
	}
	l.Gap(3).Put(sc.Theme.Dim, e.sign(sc.Glyphs)).Gap(1).Put(st, sign).Gap(1)
	if p.reach != reachSession && l.Max >= 70 {
		l.Cell(sc.Theme.Dim, p.where(sc, e.About), 14).Gap(1)
	}
	end := l.Max - p.tail()
	l.PutMax(term.Plain, safe.Line(e.About.Message), end-l.Used-1).Gap(end - l.Used)
	e.drawTail(l, sc, e.About.Count)
}

// where names the session of a finding, or its recording where there are
// several.
func (p *View) where(sc *library.Scene, f library.Located) safe.Text {
	s := f.Rec.Session(f.Session)
	switch {
	case p.reach == reachAll || s == nil:
		return f.Rec.Name()
	case s.ID != "":
		return sessions.ShortID(s.ID, sc.Glyphs)
	case s.Client.Name != "":
		return library.PeerText(s.Client)
	}
	return "session " + safe.Int(s.Index+1)
}

func drawEvidence(l *term.Line, sc *library.Scene, e *entry) {
	p := detail.EvidenceOf(sc, e.About, e.n)
	l.Gap(7).Cell(sc.Theme.Note, p.Num, max(6, term.Width(p.Num)+1))
	if l.Max < 70 {
		l.Put(term.Plain, p.Method).Gap(2).Put(sc.Theme.Dim, p.Rest())
		return
	}
	l.Cell(term.Plain, p.Method, max(17, term.Width(p.Method)+1)).Cell(sc.Theme.Dim,
		p.ID, max(8, min(term.Width(p.ID), 18)+1))
	l.Right(sc.Theme.Dim, p.Time, 10).Gap(2).Put(p.St, p.Said)
}

// pageState says which lines of the explanation are seen when that is not all.
func (p *View) pageState(sc *library.Scene, w int) []term.Seg {
	var copies []term.Seg
	if w >= 70 {
		copies = []term.Seg{term.S(sc.Theme.Dim, "y copies it as Markdown")}
	}
	return view.Join(p.page.Seen(sc), copies)
}

// drawExplanation draws what there is to say of the selected finding.
func (p *View) drawExplanation(sc *library.Scene, w, h int) []string {
	var d document.Doc
	if e := p.Selected(); e != nil {
		d = explanationDoc(sc, e, min(w-3, maxProse))
		if p.explained != e.About.Finding {
			p.explained, p.page.Top = e.About.Finding, 0
		}
	}
	return view.Text(sc, &d, &p.page, w, h)
}

func explanationDoc(sc *library.Scene, e *entry, w int) document.Doc {
	d := document.Doc{Width: w}
	detail.WriteExplained(&d, sc, e.About)
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

// emptyDoc says why there is nothing to show.
func (p *View) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	msgs, read, live := 0, 0, false
	for _, r := range p.within() {
		n, _, _ := r.Total()
		msgs += n
		live = live || r.Live
		if r.Loaded() {
			read++
		}
	}
	if p.reach == reachSession {
		if s := p.Current(); s != nil {
			msgs = s.Messages
		}
	}
	switch {
	case p.shown.Sum()+p.shown[0] > 0:
		d.Text(term.Plain, "No findings: "+term.Number(p.shown.Sum()+p.shown[0])+" are left out by their severity.")
		d.Text(sc.Theme.Dim, "e errors, w warnings and n notes show them")
	case read == 0:
		d.Text(term.Plain, "No findings: nothing was read yet.")
	default:
		d.Text(term.Plain, "No findings: no rule fired on "+term.Count(msgs, "message")+".")
		d.Text(sc.Theme.Dim, term.Count(len(p.checked), "rule")+" checked")
		if live {
			d.Text(sc.Theme.Dim, "they appear here with the message that causes them")
		}
	}
	if n := p.foundElsewhere(); n > 0 && p.shown == (library.Tally{}) {
		d.Blank()
		d.Text(term.Plain, term.Count(n, "finding")+" in other recordings and sessions: s looks at others")
	}
	return d
}

// foundElsewhere is how many findings are out of reach.
func (p *View) foundElsewhere() int {
	n := -p.shown.Sum()
	for _, r := range p.recs {
		n += r.Findings.Total.Sum()
	}
	return n
}

// state sums the findings up in the header.
func (p *View) State(h view.Host) []term.Seg {
	sc := h.Scene()
	t := term.Count(p.shown.Sum(), "finding")
	if p.shown.Sum() == 0 {
		t = "no findings"
	} else if sc.Width >= 80 {
		t += " of " + term.Count(p.rules, "rule")
	}
	out := []term.Seg{term.S(sc.Theme.Dim, t)}
	if n := p.shown[0]; n > 0 {
		out = append(out, term.S(sc.Theme.Dim, "  "+term.Number(n)+" muted"))
	}
	return out
}

// told says what the findings are about, and how to see others.
func (p *View) Told(view.Host) safe.Text {
	t := safe.Text("findings of this recording")
	switch p.reach {
	case reachSession:
		t = "findings of this session"
	case reachAll:
		t = "findings of " + term.Count(p.read(), "recording") + ", those that were read"
	}
	if len(p.reaches()) > 1 {
		t += "; s looks at others"
	}
	return t
}

var _ view.Crumbed = (*View)(nil)

// Crumbs say what the findings are about.
func (p *View) Crumbs(sc *library.Scene) []safe.Text {
	switch r := p.Rec; {
	case p.reach == reachAll || r == nil:
		return []safe.Text{"all that was read", p.Name()}
	case p.reach == reachSession:
		return append(sessions.Whereabouts(sc, p.Scope), p.Name())
	default:
		return []safe.Text{r.Name(), p.Name()}
	}
}
