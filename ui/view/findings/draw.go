package findings

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Draw draws the list, the verdict and the proof.
func (p *View) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	p.spots.of(p.Selected())
	p.place(sc, w, h)
	out := p.drawList(sc, p.at[partList].W, p.at[partList].H)
	below := p.drawVerdict(sc, p.at[partVerdict])
	proof := p.drawProof(sc, p.at[partProof])
	if p.at[partProof].X == 0 {
		return append(append(out, below...), proof...)
	}
	return append(out, term.Beside(below, proof)...)
}

// The least room for all parts at once, and of a list beside one of the others.
const (
	roomyW, roomyH = 100, 18
	stackedH       = 14

	leastProof = 5 // lines, below the verdict
)

// place gives the findings the lines that they need, and the rest to the verdict
// and the proof: beside each other, or below the list the card and then the proof, or
// one part at a time.
func (p *View) place(sc *library.Scene, w, h int) {
	p.at = [partCount]term.Rect{}
	n := len(p.Entries)
	p.roomy = w >= roomyW && h >= roomyH
	if n == 0 {
		p.at[partList] = term.Rect{W: w, H: h}
		return
	}
	need := n + 2
	if sc.Boxed {
		need++
	}
	list := min(need, max(h*2/5, 4))
	switch {
	case p.roomy:
		left := max(50, min(w*29/60, 80))
		p.at[partList] = term.Rect{W: w, H: list}
		p.at[partVerdict] = term.Rect{Y: list, W: left, H: h - list}
		p.at[partProof] = term.Rect{X: left, Y: list, W: w - left, H: h - list}
	case p.focus == partList && h >= stackedH:
		p.at[partList] = term.Rect{W: w, H: list}
		edge := need - n - 1 // a heading, or a box
		card := edge + min(detail.Found(p.About()).Short().Rows(sc, w-2), h-list-leastProof)
		p.at[partVerdict] = term.Rect{Y: list, W: w, H: card}
		p.at[partProof] = term.Rect{Y: list + card, W: w, H: h - list - card}
	default:
		p.at[p.focus] = term.Rect{W: w, H: h}
	}
}

// drawPage draws lines of a part that scrolls, and what stands fixed below them.
func drawPage(
	sc *library.Scene, pane *term.Panel, s *view.Scroller, r term.Rect, text, fixed *document.Doc,
) []string {
	w, h := pane.Inner(&sc.Screen, r.W, r.H)
	below := min(len(fixed.Lines), h/2)
	body := view.Text(sc, text, s, w, max(h-below, 0))
	body = append(body, fixed.Draw(&sc.Screen, w, 1, 0, below)...)
	if end := s.Top + s.Height; s.Lines > s.Height {
		seen := term.S(sc.Theme.Dim, term.Number(s.Top+1)+"-"+term.Number(min(end, s.Lines))+" of "+term.Count(s.Lines, "line"))
		if sc.Boxed {
			pane.Foot = []term.Seg{seen}
		} else {
			pane.State = append([]term.Seg{seen, term.S(term.Plain, "   ")}, pane.State...)
		}
	}
	return pane.Draw(&sc.Screen, r.W, r.H, body)
}

func (p *View) name(sc *library.Scene, of part, text safe.Text) []term.Seg {
	st := sc.Theme.Title
	if p.focus == of {
		st = sc.Theme.Key
	}
	return []term.Seg{term.S(st, text)}
}

func (p *View) drawNoFindings(sc *library.Scene, w int) []string {
	d := document.Doc{Width: w - 6}
	calls, read, live := 0, 0, false
	for _, r := range p.within() {
		for i, s := range r.Tracker.Sessions() {
			if p.reach != reachSession || i == p.Session {
				calls += s.Calls
			}
		}
		live = live || r.Live
		if r.Loaded() {
			read++
		}
	}
	switch hidden := p.shown.Sum() + p.shown[0]; {
	case hidden > 0:
		d.Text(term.Plain, "No findings: "+term.Number(hidden)+" are left out by their severity.")
		d.Add(term.S(sc.Theme.Key, "e w n"), term.S(sc.Theme.Dim, " errors, warnings and notes show them"))
	case read == 0:
		d.Text(term.Plain, "No findings: nothing was read yet.")
	default:
		d.Add(term.S(sc.Theme.Ok, sc.Glyphs.Ok+" "), term.S(term.Bold, "No findings"))
		d.Text(sc.Theme.Dim, "  "+term.Count(calls, "exchange")+" against "+term.Count(len(p.checked), "rule"))
		if live {
			d.Text(sc.Theme.Dim, "  they appear here with the message that causes them")
		}
	}
	if n := p.foundElsewhere(); n > 0 && p.shown == (library.Tally{}) {
		d.Blank()
		d.Add(term.S(term.Plain, term.Count(n, "finding")+" in other recordings and sessions: "), term.S(sc.Theme.Key, "s"), term.S(sc.Theme.Dim, " looks at others"))
	}
	return append([]string{term.Blanks(1, w)[0]}, d.All(&sc.Screen, w, 3)...)
}

func (p *View) foundElsewhere() int {
	n := -p.shown.Sum()
	for _, r := range p.recs {
		n += r.Findings.Total.Sum()
	}
	return n
}

// Click selects a finding, opens it when it was selected already, and goes to
// the frames and exchanges that are named.
func (p *View) Click(h view.Host, x, y int) tea.Cmd {
	sc := h.Scene()
	for of := range partCount {
		r := p.at[of]
		if !r.Has(x, y) {
			continue
		}
		p.focus = of
		if len(p.Entries) == 0 {
			p.focus = partList
		}
		left, top := (&term.Panel{}).Origin(&sc.Screen)
		x, y := x-r.X-left, y-r.Y-top
		if of != partList {
			return p.clickPage(h, of, x, y)
		}
		if again, ok := p.lines.PickLine(y - 1); ok && again {
			return p.open(h)
		}
		return nil
	}
	return nil
}

// clickPage goes to the frame whose number was clicked in the verdict or the
// proof, or to another exchange of the same kind.
func (p *View) clickPage(h view.Host, of part, x, y int) tea.Cmd {
	s, text := p.scrollerOf(of), &p.verdict
	if of == partProof {
		text = &p.proof.text
		for _, one := range p.proof.hits {
			if one.y == y-s.Height && x >= one.from && x < one.to {
				p.spots.now = one.spot
				return nil
			}
		}
	}
	i := s.Top + y
	if y < 0 || y >= s.Height || i >= len(text.Lines) {
		return nil
	}
	if n := frameAt(h.Scene(), &text.Lines[i], x); n != 0 {
		return h.Jump(p.About().Rec, n)
	}
	if slices.Contains(text.Folds, i) {
		p.proof.Whole = true
	}
	return nil
}
