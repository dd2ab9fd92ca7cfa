package insight

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (v *handlesView) other() *handleStep {
	if s := v.step(); s != nil && !s.issued {
		return s
	}
	if len(v.steps) > 1 {
		return &v.steps[len(v.steps)-1]
	}
	return nil
}

// frameOf is the frame that holds the value of a step: for a header the head of
// the message.
func frameOf(rec *library.Recording, s *handleStep) uint64 {
	f := rec.Frame(s.N)
	if f == nil || s.issued || s.Header() == "" && !inURL(s.Place) {
		return s.N
	}
	if n := rec.Heads[f.X].Req; n != 0 {
		return n
	}
	return s.N
}

func inURL(place string) bool { return len(place) > 3 && place[:3] == "URL" }

// wanted are the frames that both ends of the value stand in.
func (v *handlesView) wanted(rec *library.Recording) []uint64 {
	if len(v.steps) == 0 {
		return nil
	}
	out := []uint64{frameOf(rec, &v.steps[0])}
	if s := v.other(); s != nil {
		out = append(out, frameOf(rec, s))
	}
	return out
}

// drawEnds draws where a handle was issued beside where it was used.
func (v *handlesView) drawEnds(sc *library.Scene, h *insight.Handle, w, lines int) []string {
	left, right := w/2, w-w/2-1
	s := v.other()
	name := func(s *handleStep) []term.Seg {
		switch {
		case s == nil:
			return []term.Seg{term.S(sc.Theme.Dim, "never used")}
		case s.N == 0:
			return []term.Seg{term.S(sc.Theme.Dim, sc.Glyphs.Ended+" "+unknownIssuer)}
		case s.issued:
			return []term.Seg{term.S(sc.Theme.Key, view.FrameRef(s.N)), term.S(sc.Theme.Dim, " response, where it was issued")}
		}
		_, _, word := v.stepVerdict(sc, s)
		if s.Ending.Open() {
			word = "used, without response"
		}
		return []term.Seg{term.S(sc.Theme.Key, view.FrameRef(s.N)), term.S(sc.Theme.Dim, " request, where it was "+word)}
	}
	joint := func(t safe.Text) string { return term.NewLine(1, sc.Glyphs).Put(sc.Theme.Frame, t).Finish() }
	out := []string{term.Section(&sc.Screen, left, name(&v.steps[0]), nil) + joint(sc.Glyphs.TDown) +
		term.Section(&sc.Screen, right, name(s), nil)}
	a := v.end(sc, h, &v.steps[0], left, lines-1)
	b := v.end(sc, h, s, right, lines-1)
	for i := range lines - 1 {
		if blank := strings.TrimSpace(a[i]+b[i]) == ""; blank && i > 3 {
			break
		}
		out = append(out, a[i]+joint(sc.Glyphs.V)+b[i])
	}
	return out
}

// end draws one end of the value in the message that holds it: exactly n lines.
func (v *handlesView) end(sc *library.Scene, h *insight.Handle, s *handleStep, w, n int) []string {
	if s == nil || s.N == 0 {
		return term.Blanks(n, w)
	}
	f, come := v.ends[frameOf(sc.Rec, s)]
	var lines [][]term.Seg
	switch {
	case !come && v.failed == "":
		lines = [][]term.Seg{{term.S(sc.Theme.Dim, safe.Repeat(sc.Glyphs.Dot, min(w/2, 32)))}}
	case !come:
		lines = [][]term.Seg{{term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "+safe.Line(v.failed))}}
	default:
		data := f.Data
		if f.HoldsMessages() {
			data = sc.Rec.Tracker.Payload(&f)
		}
		x := excerpt{sc: sc, h: h, hue: sc.Rec.Hue(sc.Theme, issuer(h)), missing: s.LeftOut}
		lines = x.of(data, s.Place, n)
	}
	room := n
	result, st := resultAt(sc, s.N)
	if !s.issued && st != term.Plain && result != "" && room > 2 {
		room--
	}
	var out []string
	for _, segs := range lines[:min(len(lines), room)] {
		l := term.NewLine(w, sc.Glyphs).Gap(1)
		for _, seg := range segs {
			l.PutMax(seg.Style, seg.Text, w-1-l.Used)
		}
		out = append(out, l.Finish())
	}
	if room < n {
		l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, "response ")
		out = append(out, l.PutMax(st, result, w-1-l.Used).Finish())
	}
	return append(out, term.Blanks(n-len(out), w)...)
}
