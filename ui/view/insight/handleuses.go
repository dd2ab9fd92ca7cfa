package insight

import (
	"slices"

	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// useTable is the columns of the uses, as wide as what is in them. The result
// has what the others leave.
func (v *handlesView) useTable(sc *library.Scene, w int) view.Table {
	client, tool, where := 9, 6, 17
	for i := range v.steps {
		s := &v.steps[i]
		_, what := whatOf(&s.Use)
		client = max(client, term.Width(sc.Rec.SessionName(s.Session))+2)
		tool, where = max(tool, term.Width(what)+2), max(where, len(s.Place)+2)
	}
	client, tool = min(client, max(w/6, 10)), min(tool, max(w/7, 10))
	const verdict = 12
	rest := w - 2 - 5 - 2 - client - verdict
	t := 0
	if w >= 70 {
		t = 9
	}
	if w < 50 {
		tool = 0
	}
	if rest -= t + tool; w < 98 {
		where = 0
	}
	where = min(where, rest*3/5)
	return view.NewTable(w,
		view.Column{Name: "#", W: 5, Right: true},
		view.Column{Name: "TIME", W: t, Right: true},
		view.Column{Name: "SESSION", W: client, Before: 2, After: 2},
		view.Column{Name: "TOOL", W: tool, After: 2},
		view.Column{Name: "WHERE IT STANDS", W: where, After: 2},
		view.Column{Name: "RESULT", W: max(rest-where, 0), After: 2},
		view.Column{Name: "VERDICT", W: verdict})
}

func (v *handlesView) drawUses(sc *library.Scene, w, h int) []string {
	one := v.selected()
	p := term.Panel{Name: title(sc, "Uses"), Focus: v.reading}
	if w < 100 {
		hue := sc.Rec.Hue(sc.Theme, issuer(one)) + term.Underline
		p.Name = append(p.Name, term.S(sc.Theme.Dim, " of "), term.S(hue, handleValue(one, 32, sc.Glyphs)))
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	verdict := v.verdictLines(sc, one, iw)
	ends := 0 // lines of both ends of the value, with the line above them
	if room := ih - 1 - min(len(v.steps), 5) - len(verdict); iw >= 90 && room >= 4 {
		ends = min(room, max(ih-1-len(v.steps)-len(verdict), 5), 17)
	}
	if ih-1-len(verdict)-ends < 3 {
		verdict = nil
	}
	t := v.useTable(sc, iw)
	body := []string{t.Header(term.NewLine(iw, sc.Glyphs).Gap(2), sc.Theme.Faint).Finish()}
	line := func(i int) string { return v.useLine(sc, t, iw, i) }
	body = rows(&v.below, len(v.steps), ih-ends-len(verdict), body, line)
	p.State = v.useState(sc, one)
	if ends > 0 {
		body = append(body, v.drawEnds(sc, one, iw, ends)...)
	}
	body = append(body, verdict...)
	return p.Draw(&sc.Screen, w, h, body)
}

func (v *handlesView) useState(sc *library.Scene, h *insight.Handle) []term.Seg {
	out := []term.Seg{term.S(sc.Theme.Dim, term.Count(h.Times, "use")+" in "+term.Count(len(h.Sessions()), "session"))}
	if h.Between > 0 {
		out = append(out, term.S(sc.Theme.Dim, ", "+term.Number(h.Between)+" not listed"))
	}
	if s := &v.below; s.Lines > s.Height {
		seen := term.Number(s.Top+1) + "-" + term.Number(min(s.Top+s.Height, s.Lines)) + " of " + term.Number(s.Lines)
		out = append(out, term.S(sc.Theme.Dim, "   "), term.S(sc.Theme.Pend, seen))
	}
	return append(out, term.S(term.Plain, "   "), term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, " to the message"))
}

// useLine is the line of one step.
func (v *handlesView) useLine(sc *library.Scene, t view.Table, w, i int) string {
	if i < 0 || i >= len(v.steps) {
		return term.Blanks(1, w)[0]
	}
	s := &v.steps[i]
	chosen := i == v.below.Sel
	of := s.Session
	if s.N == 0 {
		of = library.NoSession
	}
	hue := sc.Rec.Hue(sc.Theme, of)
	l := hueRow(sc, w, hue, chosen, v.reading)
	if s.N == 0 {
		return l.Put(sc.Theme.Dim, "  "+sc.Glyphs.Ended+" "+unknownIssuer).Finish()
	}
	ref := safe.Int(s.N)
	if s.after > 0 {
		ref = sc.Glyphs.Ellipsis + ref
	}
	row := t.Row(l).Put(term.Plain, ref).Put(sc.Theme.Dim, sc.Point(sc.Rec, s.T, 0))
	row.Put(hue, sc.Rec.SessionName(of))
	method, what := whatOf(&s.Use)
	tool := term.Plain
	if method == mcp.ToolsCall {
		tool = term.Bold
	}
	row.Put(tool, what)
	row.Put(sc.Theme.Dim, safe.Line(s.Place))
	result, st := resultAt(sc, s.N)
	row.Put(st, result)
	sign, st, word := v.stepVerdict(sc, s)
	row.Put(st, sign+" "+word)
	return l.Finish()
}

// resultAt is in words what came of the message that frame n belongs to.
func resultAt(sc *library.Scene, n uint64) (safe.Text, term.Style) {
	row := sc.Rec.RowAt(n)
	if row < 0 || row >= sc.Rec.Texts.Len() {
		return "", term.Plain
	}
	st := term.Plain
	if sc.Rec.Tracker.Row(row).Ending.IsError() {
		st = sc.Theme.Err + term.Bold
	}
	return safe.Line(sc.Rec.Texts.Of(row).Result), st
}

func (v *handlesView) stepVerdict(sc *library.Scene, s *handleStep) (safe.Text, term.Style, safe.Text) {
	sign, st := stepSign(sc, &s.Use)
	switch {
	case s.issued:
		return sc.Glyphs.Issued, sc.Rec.Hue(sc.Theme, s.Session), "issued"
	case s.Worked():
		return sign, st, "used"
	case s.Blamed:
		return sign, st + term.Bold, "refused"
	case s.Ending.Bad():
		return sign, st, "failed"
	case s.LeftOut:
		return sign, st, "left out"
	}
	return sign, st, "no response"
}

// verdictLines say in a sentence what became of the handle.
func (v *handlesView) verdictLines(sc *library.Scene, h *insight.Handle, w int) []string {
	key, plain := sc.Theme.Key, term.Plain
	ref := func(n uint64) term.Seg { return term.S(key, view.FrameRef(n)) }
	good, bad, broken := h.Break()
	var segs []term.Seg
	bar := sc.Theme.Ok
	switch {
	case broken:
		bar = sc.Theme.Err
		word, last := safe.Text(", refused from "), safe.Text("Last used in ")
		if !bad.Blamed {
			word = ", failed from "
		}
		if good.N == 0 {
			segs = []term.Seg{term.S(plain, "No use of it worked; the first was "), ref(bad.N), term.S(plain, ".")}
			break
		}
		if good.N == h.From.N {
			last = "Issued in "
		}
		segs = []term.Seg{
			term.S(plain, "The value is the same, letter for letter. "+last), ref(good.N), term.S(plain, word), ref(bad.N),
			term.S(plain, " on, "+term.Duration(bad.T-good.T)+" later."),
		}
	case h.LeftOut > 0:
		bar = sc.Theme.Warn
		i := slices.IndexFunc(h.Uses, func(u insight.Use) bool { return u.LeftOut })
		segs = []term.Seg{term.S(plain, "The client leaves it out in "+term.Count(h.LeftOut, "message")+", first in ")}
		if i >= 0 {
			segs = append(segs, ref(h.Uses[i].N))
		}
		segs = append(segs, term.S(plain, "."))
	case h.Times == 0:
		bar = sc.Theme.Dim
		segs = []term.Seg{term.S(plain, "No message uses it.")}
	case h.Bad() > 0:
		bar = sc.Theme.Warn
		segs = []term.Seg{term.S(plain, "It works again: the last use, in "), ref(h.Latest), term.S(plain, ", did not fail.")}
	case h.Worked > 0:
		segs = []term.Seg{term.S(plain, "It works: the last use was in "), ref(h.Latest), term.S(plain, ".")}
	default:
		bar = sc.Theme.Pend
		segs = []term.Seg{term.S(plain, "There is no response to a message that uses it.")}
	}
	if h.From.N == 0 {
		segs = append(segs, term.S(sc.Theme.Dim, "  "+sc.Glyphs.Ended+" "+unknownIssuer))
	}
	return card(sc, segs, bar, w)
}
