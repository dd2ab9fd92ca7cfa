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

// useTable is the columns of the uses.
func (v *handlesView) useTable(sc *library.Scene) *term.Table[*handleStep] {
	return &term.Table[*handleStep]{
		Screen: &sc.Screen,
		Hue:    func(s *handleStep) term.Style { return sc.Rec.Hue(sc.Theme, s.session()) },
		Columns: []term.Column[*handleStep]{
			{Head: "#", Min: 5, Right: true, Cell: func(s *handleStep) term.Seg {
				return term.S(term.Plain, s.ref(sc))
			}},
			{Head: "TIME", Min: 8, Right: true, Rank: 2, Cell: func(s *handleStep) term.Seg {
				if s.N == 0 {
					return term.Seg{}
				}
				return term.S(sc.Theme.Dim, sc.Point(sc.Rec, s.T))
			}},
			{Head: "SESSION", Min: 8, Max: 20, Gap: 1, Cell: func(s *handleStep) term.Seg {
				return term.S(sc.Rec.Hue(sc.Theme, s.session()), sc.Rec.SessionName(s.session()))
			}},
			{Head: "TOOL", Min: 8, Max: 24, Gap: 1, Rank: 1, Cell: func(s *handleStep) term.Seg {
				method, what := whatOf(&s.Use)
				if method == mcp.ToolsCall {
					return term.S(term.Bold, what)
				}
				return term.S(term.Plain, what)
			}},
			{Head: "WHERE IT STANDS", Min: 17, Max: 44, Gap: 1, Rank: 3, Cell: func(s *handleStep) term.Seg {
				return term.S(sc.Theme.Dim, safe.Line(s.Place))
			}},
			{Head: "RESULT", Min: 9, Max: 18, Flex: 1, Gap: 1, Cell: func(s *handleStep) term.Seg {
				if s.N == 0 {
					return term.S(sc.Theme.Dim, sc.Glyphs.Ended+" "+unknownIssuer)
				}
				result, st := resultAt(sc, s.N)
				return term.S(st, result)
			}},
			{Head: "VERDICT", Min: 12, Gap: 1, Cell: func(s *handleStep) term.Seg {
				if s.N == 0 {
					return term.Seg{}
				}
				sign, st, word := v.stepVerdict(sc, s)
				return term.S(st, sign+" "+word)
			}},
		},
	}
}

func (s *handleStep) session() int {
	if s.N == 0 {
		return library.NoSession
	}
	return s.Session
}

// ref is the frame of a step, behind an ellipsis where others are left out before it.
func (s *handleStep) ref(sc *library.Scene) safe.Text {
	switch {
	case s.N == 0:
		return ""
	case s.after > 0:
		return sc.Glyphs.Ellipsis + safe.Int(s.N)
	}
	return safe.Int(s.N)
}

func (v *handlesView) drawUses(sc *library.Scene, w, h int) []string {
	one := v.selected()
	p := term.Panel{Name: title(sc, "Uses"), Focus: v.Reading}
	if !term.Wide(w) {
		hue := sc.Rec.Hue(sc.Theme, issuer(one)) + term.Underline
		p.Name = append(p.Name, term.S(sc.Theme.Dim, " of "), term.S(hue, handleValue(one, 32, sc.Glyphs)))
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	verdict := v.verdictLines(sc, one, iw)
	ends := 0 // lines of both ends of the value, with the line above them
	if room := ih - 1 - min(len(v.steps), 5) - len(verdict); term.Wide(iw) && room >= 4 {
		ends = min(room, max(ih-1-len(v.steps)-len(verdict), 5), 17)
	}
	if ih-1-len(verdict)-ends < 3 {
		verdict = nil
	}
	t := v.useTable(sc)
	body := view.Lines(t, &v.Below, len(v.steps), v.stepAt, iw, ih-ends-len(verdict), v.Reading)
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
	if s := &v.Below; s.Lines > s.Height {
		seen := term.Number(s.Top+1) + "-" + term.Number(min(s.Top+s.Height, s.Lines)) + " of " + term.Number(s.Lines)
		out = append(out, term.S(sc.Theme.Dim, "   "), term.S(sc.Theme.Pend, seen))
	}
	return append(out, term.S(term.Plain, "   "), term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, " to the message"))
}

func (v *handlesView) stepAt(i int) *handleStep { return &v.steps[i] }

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
