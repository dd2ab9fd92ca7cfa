package findings

import (
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// hit is cells on the fixed lines of the proof that lead to a place.
type hit struct{ y, from, to, spot int }

// track writes where else the finding shows: the numbers of the exchanges, and
// where they lie in time.
func (p *View) track(sc *library.Scene, w int) *document.Doc {
	p.proof.hits = p.proof.hits[:0]
	if len(p.spots.all) < 2 {
		return &document.Doc{}
	}
	t := detail.NewText(sc, w)
	t.Blank()
	p.numbers(&t)
	p.timeline(&t)
	return &t.Doc
}

// numbers writes the frames of the exchanges, those around the current one where
// there are too many, and says how many are left out.
func (p *View) numbers(t *detail.Text) {
	th, s := t.Scene.Theme, &p.spots
	label := safe.Text("the same in ")
	room := t.Width - len(label) - len("  +1 000 more")
	width := func(i int) int { return len(safe.Int(s.all[i].number())) + 2 }
	from, to, used := s.now, s.now+1, width(s.now)
	for grown := true; grown; {
		grown = false
		if to < len(s.all) && used+width(to) <= room {
			used, to, grown = used+width(to), to+1, true
		}
		if from > 0 && used+width(from-1) <= room {
			used, from, grown = used+width(from-1), from-1, true
		}
	}
	segs := []term.Seg{term.S(th.Faint, label)}
	at, y := 1+len(label), len(t.Lines)
	for i := from; i < to; i++ {
		st := th.Key
		if i == s.now {
			st = th.Title + term.Underline
		}
		text := "#" + safe.Int(s.all[i].number())
		p.proof.hits = append(p.proof.hits, hit{y, at, at + len(text), i})
		segs = append(segs, term.S(st, text), term.S(term.Plain, " "))
		at += len(text) + 1
	}
	if n := len(s.all) - (to - from) + s.lost; n > 0 {
		segs = append(segs, term.S(th.Dim, " +"+term.Number(n)+" more"))
	}
	t.Lines = append(t.Lines, document.Line{Segs: segs})
}

// timeline draws the exchanges as ticks on a line, when they are of one
// recording.
func (p *View) timeline(t *detail.Text) {
	th, s := t.Scene.Theme, &p.spots
	rec := s.all[0].Rec
	first, last := momentOf(&s.all[0]), momentOf(&s.all[len(s.all)-1])
	if s.all[len(s.all)-1].Rec != rec || last <= first {
		return
	}
	base := t.Scene.BaseOf(rec)
	begin, end := point(first-base), point(last-base)
	n := t.Width - 2 - term.Width(begin) - term.Width(end)
	if n < 8 {
		return
	}
	cells := make([]int, n) // 1 + a place
	y, from := len(t.Lines), 2+term.Width(begin)
	for i := range s.all {
		at := int((momentOf(&s.all[i]) - first) * int64(n-1) / (last - first))
		if at = max(0, min(at, n-1)); cells[at] == 0 || i == s.now {
			cells[at] = i + 1
		}
	}
	_, st := t.Scene.Severity(s.all[0].Severity)
	segs := []term.Seg{term.S(th.Dim, begin+" ")}
	for at, i := range cells {
		switch {
		case i == 0:
			segs = append(segs, term.S(th.Frame, t.Scene.Glyphs.H))
			continue
		case i-1 == s.now:
			segs = append(segs, term.S(th.Title, t.Scene.Glyphs.Err))
		default:
			segs = append(segs, term.S(st, t.Scene.Glyphs.Err))
		}
		p.proof.hits = append(p.proof.hits, hit{y, from + at, from + at + 1, i - 1})
	}
	t.Lines = append(t.Lines, document.Line{Segs: append(segs, term.S(th.Dim, " "+end))})
}

// momentOf is when a place showed, nanoseconds since its recording started.
func momentOf(s *spot) int64 {
	if m := s.Rec.Frame(s.n); m != nil {
		return m.T
	}
	return s.T
}

// point is a moment in few cells.
func point(ns int64) safe.Text { return term.Duration(max(ns, 0)) }

// A proof of less than tightH lines begins with the exchange itself, where so many lines of it, and of
// what is fixed below, would not be seen.
const tightH, seenOwn = 14, 8

func (p *View) drawProof(sc *library.Scene, r term.Rect) []string {
	if r.H == 0 {
		return nil
	}
	pane := term.Panel{Name: p.name(sc, partProof, "Proof"), Focus: p.focus == partProof}
	w, h := pane.Inner(&sc.Screen, r.W, r.H)
	s := p.spots.current()
	if s == nil {
		return pane.Draw(&sc.Screen, r.W, r.H, nil)
	}
	if n := len(p.spots.all); n > 1 {
		pane.State = []term.Seg{
			term.S(sc.Theme.Dim, "exchange "), term.S(sc.Theme.Title, term.Number(p.spots.now+1)),
			term.S(sc.Theme.Dim, " of "+term.Number(n+p.spots.lost)+"   "),
			term.S(sc.Theme.Key, arrows(sc)), term.S(sc.Theme.Dim, " next"),
		}
	}
	k := drawnKey{
		proofKey: p.proof.of, w: w, look: sc.Look, got: len(p.proof.Got), whole: p.proof.Whole,
		bad: p.proof.Bad, tight: h < tightH,
		timing: [2]any{sc.Time, sc.BaseOf(s.Rec)},
	}
	if k != p.proof.drawn || p.proof.text.Scene == nil {
		t := detail.NewText(sc, w)
		p.proof.drawn = k
		p.proof.Tight = k.tight
		p.proof.own = p.proof.Write(&t)
		p.proof.text = t
		if k.tight && p.focus != partProof && p.proof.own+seenOwn > h {
			p.paper.Top = p.proof.own
		}
	}
	return drawPage(sc, &pane, &p.paper, r, &p.proof.text.Doc, p.track(sc, w))
}

func arrows(sc *library.Scene) safe.Text {
	if sc.ASCII {
		return "h l"
	}
	return "← →"
}
