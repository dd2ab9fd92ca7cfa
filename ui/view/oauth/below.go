package oauth

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawBelow draws what is said of the step that is selected: the checks that
// failed, else all of its values; or the tokens.
func (v *flowView) drawBelow(sc *library.Scene, f *auth.Flow, w, h int) []string {
	p := term.Panel{Focus: v.Reading}
	iw, ih := p.Inner(&sc.Screen, w, h)
	x := saying{sc: sc, f: f, d: document.Doc{Width: iw - 3}}
	checks := v.checks()
	switch {
	case v.tokens:
		p.Name = []term.Seg{term.S(sc.Theme.Title, "Tokens")}
		x.tokens()
	case len(checks) > 0:
		name := safe.Text("Failing check")
		if checks[0] == f.First() {
			name = "First failing check"
		}
		p.Name = []term.Seg{term.S(sc.Theme.Err, sc.Glyphs.Err+" "), term.S(sc.Theme.Title, name)}
		p.State = []term.Seg{term.S(sc.Theme.Dim, "step "+safe.Int(int(checks[0].Step)+1))}
		what := "  " + safe.Line(checks[0].ID) + "  " + safe.Line(checks[0].Spec)
		p.State = append(p.State, term.Spare(1, term.S(sc.Theme.Dim, what))...)
		for i, c := range checks {
			if i > 0 {
				x.d.Blank()
				sign := term.S(sc.Theme.Err, sc.Glyphs.Err+" ")
				x.d.Add(sign, term.S(term.Bold, safe.Line(c.ID)), term.S(sc.Theme.Dim, "  "+safe.Line(c.Spec)))
			}
			x.check(c, iw-3)
		}
	default:
		s := v.step()
		sign, st := stateSign(sc, s.State)
		p.Name = []term.Seg{term.S(st, sign+" "), term.S(sc.Theme.Title, "Step "+safe.Int(s.Number)+": "+safe.Line(s.Kind.Title()))}
		p.State = []term.Seg{term.S(sc.Theme.Dim, safe.Line(s.State.String()))}
		x.step(s)
	}
	v.Below.Fit(len(x.d.Lines), ih)
	if seen := v.Below.Seen(sc); seen != nil {
		p.State = view.Join(p.State, seen)
	}
	return p.Draw(&sc.Screen, w, h, view.Text(sc, &x.d, &v.Below, iw, ih))
}

type saying struct {
	sc *library.Scene
	f  *auth.Flow
	d  document.Doc
}

// check writes both values of a check side by side, and who has to change what.
func (x *saying) check(c *auth.Check, w int) {
	th := x.sc.Theme
	a, b := x.sideValue(c, c.A, true), x.sideValue(c, c.B, false)
	const middle = 26
	half := (w - middle) / 2
	word := safe.Text("but")
	switch {
	case c.A.Value == "" || c.B.Value == "":
		word = "missing"
	case likeness(c.A.Value, c.B.Value), strings.HasSuffix(c.ID, "-differs"):
		word = "differs"
	}
	if term.Wide(w) && max(term.SegsWidth(a), term.SegsWidth(b), len(c.A.What), len(c.B.What)) <= half {
		two := func(left, right []term.Seg, between []term.Seg) {
			gap := half - term.SegsWidth(left) + (middle-term.SegsWidth(between))/2
			segs := append(append([]term.Seg{}, left...), term.S(term.Plain, safe.Repeat(" ", gap)))
			rest := half + middle - term.SegsWidth(segs) - term.SegsWidth(between)
			segs = append(append(segs, between...), term.S(term.Plain, safe.Repeat(" ", rest)))
			x.d.AddIndented(0, append(segs, right...))
		}
		line := safe.Repeat(x.sc.Glyphs.H, (middle-8-len(word))/2)
		two([]term.Seg{term.S(th.Dim, safe.Line(c.A.What))}, []term.Seg{term.S(th.Dim, safe.Line(c.B.What))}, nil)
		two(a, b, []term.Seg{term.S(th.Frame, line), term.S(th.Err, " "+word+" "), term.S(th.Frame, line)})
		two(x.where(c.A), x.where(c.B), nil)
	} else {
		for i, s := range []auth.Side{c.A, c.B} {
			head := append([]term.Seg{term.S(th.Dim, safe.Line(s.What)+"  ")}, x.where(s)...)
			if i == 1 {
				head = append([]term.Seg{term.S(th.Err, word+" ")}, head...)
			}
			x.d.AddIndented(2, head)
			x.d.AddIndented(2, [][]term.Seg{a, b}[i])
		}
	}
	if term.Wide(w) {
		x.d.Blank()
	}
	x.card(c, w)
}

func (x *saying) where(s auth.Side) []term.Seg {
	if s.N == 0 {
		return nil
	}
	return []term.Seg{term.S(x.sc.Theme.Dim, "in "), term.S(x.sc.Theme.Key, view.FrameRef(s.N))}
}

// sideValue is one of the two values, with what is other in it.
func (x *saying) sideValue(c *auth.Check, s auth.Side, left bool) []term.Seg {
	th := x.sc.Theme
	ground, word := th.Removed, th.RemovedWord
	if left {
		ground, word = th.Added, th.AddedWord
	}
	if s.Value == "" {
		return []term.Seg{th.Badge(th.Err, "none")}
	}
	value := s.Value
	from, to := 0, 0
	if likeness(c.A.Value, c.B.Value) {
		other := c.A.Value
		if left {
			other = c.B.Value
		}
		from, to = difference(value, other)
	}
	return []term.Seg{
		term.S(ground, " "+safe.Line(value[:from])), term.S(word+term.Bold, safe.Line(value[from:to])),
		term.S(ground, safe.Line(value[to:])+" "),
	}
}

// likeness says whether two values are so much alike that what differs can be
// shown in them.
func likeness(a, b string) bool {
	from, to := difference(a, b)
	return a != b && a != "" && b != "" && 2*(len(a)-(to-from)) >= min(len(a), len(b))
}

// difference is the part of a in which it is not b: what they do not have in common
// at both ends. It begins and ends between characters.
func difference(a, b string) (from, to int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	from = len(words.Clip(a, from))
	same := 0
	for same < min(len(a), len(b))-from && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	for to = len(a) - same; to < len(a) && !utf8.RuneStart(a[to]); {
		to++
	}
	return from, to
}

// card writes who has to change what, and why.
func (x *saying) card(c *auth.Check, w int) {
	th := x.sc.Theme
	card := document.Card(&x.sc.Screen, th.Err)
	badge := th.Badge(th.Err, "fix the "+safe.Line(string(c.Who)))
	if c.Who == auth.Midwire {
		badge = th.Badge(th.Err, "midwire is in the way")
	}
	if term.Narrow(w) {
		x.d.AddLike(card, 0, badge)
		x.d.AddLike(card, 0, term.S(th.Title, safe.Line(c.Fix)))
	} else {
		x.d.AddLike(card, term.Width(badge.Text)+2, badge, term.S(term.Plain, "  "), term.S(th.Title, safe.Line(c.Fix)))
	}
	x.d.AddLike(card, 0, term.S(th.Dim, safe.Line(c.Text)))
	if c.Rule != "" {
		rule := term.S(th.Dim, "rule "+safe.Line(c.Rule)+"   ")
		x.d.AddLike(card, 0, rule, term.S(th.Key, "!"), term.S(th.Dim, " explains"))
	}
}

// step writes all that is known of a step that did not fail.
func (x *saying) step(s *auth.Step) {
	th := x.sc.Theme
	if s.Text != "" {
		x.d.Text(term.Plain, safe.Line(s.Text))
	}
	if segs := unseen(x.sc, x.f); s.State == auth.NotSeen && segs != nil {
		x.d.AddIndented(0, segs)
	}
	wide := 0
	for _, l := range s.Links {
		wide = max(wide, len(l.Name))
	}
	for _, l := range s.Links {
		name := safe.Line(l.Name) + safe.Repeat(" ", wide+2-len(l.Name))
		x.d.AddIndented(wide+2, []term.Seg{term.S(th.JSONKey, name), term.S(th.JSONString, safe.Line(l.Value))})
	}
	if len(s.Exchanges) > 0 && len(x.d.Lines) > 0 {
		x.d.Blank()
	}
	if s.More > 0 {
		x.d.Text(th.Dim, term.Count(s.More, "frame")+" are not listed")
	}
	for i := range s.Exchanges {
		e := &s.Exchanges[i]
		way := "  " + safe.Line(string(e.From)) + " " + x.sc.Glyphs.Arrow + " " + safe.Line(string(e.To)) + "  "
		segs := []term.Seg{
			term.S(th.Key, view.FrameRef(e.Request)), term.S(th.Dim, way), term.S(term.Plain, safe.Line(e.What)),
		}
		if e.Status != 0 {
			code := term.S(statusStyle(x.sc, s, e), safe.Int(e.Status)+statusNames[e.Status])
			segs = append(segs, term.S(th.Dim, "  "+x.sc.Glyphs.Arrow+" "), code)
		}
		if e.Response != 0 {
			segs = append(segs, term.S(th.Key, " "+view.FrameRef(e.Response)))
		}
		x.d.AddIndented(4, segs)
	}
}

// tokens lists the tokens that were issued: what stands for them, and their claims.
func (x *saying) tokens() {
	th := x.sc.Theme
	for _, c := range x.f.Credentials {
		segs := []term.Seg{
			term.S(term.Bold, safe.Line(c.Kind)+" token"), term.S(term.Plain, "  "),
			term.S(th.JSONString, safe.Line(c.Mask)), term.S(th.Dim, "  issued in "), term.S(th.Key, view.FrameRef(c.N)),
		}
		switch {
		case c.Opaque:
			segs = append(segs, term.S(th.Dim, "  opaque: no JWT"))
		case c.Kind == "access" && len(c.Claims) == 0:
			segs = append(segs, term.S(th.Dim, "  its claims are masked: a recording with --keep-secrets shows them"))
		}
		x.d.AddIndented(4, segs)
		for _, claim := range c.Claims {
			segs := []term.Seg{
				term.S(th.JSONKey, "  "+safe.Line(claim.Name)), term.S(th.Dim, " = "),
				term.S(th.JSONString, safe.Line(claim.Value)),
			}
			if t, err := strconv.ParseInt(claim.Value, 10, 64); err == nil && t > 1e9 && t < 1e10 {
				segs = append(segs, term.S(th.Dim, "  "+safe.Time(time.Unix(t, 0).UTC(), "2006-01-02 15:04:05 UTC")))
			}
			x.d.AddIndented(6, segs)
		}
	}
	if len(x.f.Credentials) > 0 {
		x.d.Blank()
		x.d.Text(th.Dim, "The same mask is the same token. The token itself and its signature are never shown.")
	}
}
