package replaying

import (
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func callVerdict(sc *library.Scene, v replay.Verdict) term.Style {
	th := sc.Theme
	return [replay.Verdicts]term.Style{th.Dim, th.Warn, th.Err, th.Note, th.Err, th.Ok, th.Warn, th.Dim}[v]
}

func (v *Comparison) problem(row int) safe.Text {
	return safe.Line(v.result.Problems[row-len(v.result.Calls)])
}

func tookText(a *replay.Response) safe.Text {
	if !a.There || a.None != "" {
		return ""
	}
	return term.Duration(int64(a.Took))
}

var _ view.Crumbed = (*Comparison)(nil)

// Crumbs say in the header what is compared.
func (v *Comparison) Crumbs(*library.Scene) []safe.Text {
	out := []safe.Text{safe.Line(v.result.FirstName), v.with()}
	if v.whole && v.of != nil {
		c := &v.result.Calls[v.of.call]
		out = append(out, safe.Line(c.Number())+" "+safe.Line(c.Label()))
	}
	return out
}

func (v *Comparison) with() safe.Text {
	switch {
	case len(v.result.Tries) > 0:
		return "asked again"
	case v.replayed && v.request.Tool != "":
		return "call of " + safe.Line(v.request.Tool)
	case v.replayed && v.request.Params != nil:
		return "replay, edited"
	case v.replayed:
		return "replay"
	}
	return "compared with " + safe.Line(v.result.SecondName)
}

// State implements view.View: how many calls came to what, the gravest first.
func (v *Comparison) State(h view.Host) (out []term.Seg) {
	sc, c, counts := h.Scene(), v.result, v.result.Counts()
	if len(c.Tries) > 0 {
		return tallied(sc, c.Tries)
	}
	for rank, k := range [...]replay.Verdict{
		replay.Broken, replay.Missing, replay.Fixed, replay.Changed,
		replay.Same, replay.Extra, replay.Slower, replay.Skipped,
	} {
		text := term.Number(counts[k]) + " " + verdictWord(k)
		seg, gap := sc.Theme.Badge(callVerdict(sc, k), text), term.S(term.Plain, " ")
		if k == replay.Skipped || k == replay.Same {
			seg = term.S(sc.Theme.Dim, text)
		}
		if counts[k] > 0 {
			out = append(out, term.Spare(uint8(rank), seg, gap)...)
		}
	}
	if n := len(c.Problems); n > 0 && !c.Found {
		out = append(out, term.Spare(5, term.S(sc.Theme.Warn, " "+term.Count(n, "problem")))...)
	}
	return append(out, term.Spare(4, term.S(term.Plain, "   "+term.Count(len(c.Calls), "call")+" "))...)
}

// Told says what a replay was against, and where it is kept.
func (v *Comparison) Told(h view.Host) safe.Text {
	if !v.replayed || v.result.Second == "" {
		return ""
	}
	told := "recorded as " + safe.Line(v.result.Second)
	if !h.Scene().Boxed { // a box says so
		told = "against " + safe.Line(v.result.SecondName) + " in " + term.Duration(int64(v.result.Took)) + ", " + told
	}
	return told
}

// besideFrom is the width from which on the difference stands beside the calls.
const besideFrom = 140

// Draw draws the calls, and what is different about the selected one: beside them where
// there is room, else below.
func (v *Comparison) Draw(_ view.Host, sc *library.Scene, w, h int) (out []string) {
	v.box.x, v.box.y, v.top = 0, 0, 0
	if v.whole && v.of != nil {
		return v.drawDifference(sc, w, h)
	}
	out = v.drawAnswer(sc, w, h/2)
	if len(v.result.Tries) > 0 {
		v.top = len(out)
		return append(out, v.drawTries(sc, w, h-len(out))...)
	}
	if sc.Boxed {
		out = append(out, v.drawSides(sc, w, sidesHeight)...)
	}
	v.top = len(out)
	h -= len(out)
	if w < besideFrom {
		calls := h
		if h >= 12 {
			calls = max(min(len(v.vis)+3, h*2/5), 6)
		}
		out = append(out, v.drawCalls(sc, w, calls)...)
		v.box.y = len(out)
		return append(out, v.drawDifference(sc, w, h-calls)...)
	}
	left := callsWidth(w)
	v.box.x, v.box.y = left, v.top
	calls := v.drawCalls(sc, left, h)
	for i, s := range v.drawDifference(sc, w-left, h) {
		out = append(out, calls[i]+s)
	}
	return out
}

func (v *Comparison) drawCalls(sc *library.Scene, w, h int) []string {
	order := safe.Text("weight")
	if v.inOrder {
		order = "time"
	}
	p := sc.Theme.Panel("Calls", term.S(sc.Theme.Dim, "sort "), term.S(sc.Theme.Key, order))
	p.Focus = true
	if v.only {
		p.State = append([]term.Seg{term.S(sc.Theme.Pend, "only differences   ")}, p.State...)
	}
	if len(v.vis) == 0 {
		iw, ih := p.Inner(&sc.Screen, w, h)
		v.lines.Fit(0, ih)
		l := term.NewLine(iw, sc.Glyphs).Gap(2).Put(sc.Theme.Ok, sc.Glyphs.Ok).Put(term.Plain, " nothing differs   ")
		return p.Draw(&sc.Screen, w, h, []string{l.Hint(sc.Theme, "f", "all calls").Finish()})
	}
	return view.Rows(p, v.table(sc), &v.lines, len(v.vis), func(i int) int { return v.vis[i] }, w, h)
}

// table is the columns of the calls. Behind the calls stand problems of the whole.
func (v *Comparison) table(sc *library.Scene) *term.Table[int] {
	calls, th := v.result.Calls, sc.Theme
	cell := func(of func(c *replay.Outcome) term.Seg) func(int) term.Seg {
		return func(i int) term.Seg { return of(&calls[i]) }
	}
	t := &term.Table[int]{
		Screen: &sc.Screen,
		Hue: func(i int) term.Style {
			switch {
			case i < 0:
				return term.NoBar
			case i < len(calls):
				return verdictOf(sc, &calls[i])
			}
			return th.Warn
		},
		Rest: func(i int) (int, term.Seg) {
			switch {
			case i < 0:
				return term.FromFirst, term.S(term.Bold, v.heading(i))
			case i < len(calls):
				return 0, term.Seg{}
			}
			return term.FromFirst, term.S(term.Plain, sc.Glyphs.Warn+" "+v.problem(i))
		},
		Columns: []term.Column[int]{
			{Head: "#", Min: 4, Max: 7, Right: true, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(th.Dim, safe.Line(c.Number()))
			})},
			{Max: 4, Cell: cell(func(c *replay.Outcome) term.Seg {
				if !v.several {
					return term.Seg{}
				}
				return term.S(th.Dim, "s"+safe.Int(c.Session))
			})},
			{Head: "VERDICT", Min: 9, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(verdictOf(sc, c), verdictWord(c.Verdict))
			})},
			{Head: "CALL", Min: 8, Max: 40, Flex: 1, Draw: func(l *term.Line, i int) {
				if i >= 0 && i < len(calls) {
					v.drawCall(l, sc, &calls[i])
				}
			}},
			{Rank: 2, Min: 12, Flex: 2, Gap: 1, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(th.Dim, safe.Line(c.Summary()))
			})},
			{Head: "BEFORE", Min: 6, Right: true, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(th.Dim, tookText(&c.Was))
			})},
			{Head: "AFTER", Min: 6, Right: true, Cell: cell(func(c *replay.Outcome) term.Seg {
				return term.S(paceOf(sc, c), tookText(&c.Now))
			})},
		},
	}
	if !v.inOrder { // headings say it
		t.Columns = slices.Delete(t.Columns, 2, 3)
	}
	return t
}

// verdictWord is what came of a call, in a word.
func verdictWord(v replay.Verdict) safe.Text {
	switch v {
	case replay.Broken:
		return "broken"
	case replay.Fixed:
		return "fixed"
	}
	return safe.Line(v.String())
}

// heading names the calls of a verdict, and says how many they are; see headed.
func (v *Comparison) heading(line int) safe.Text {
	of, n := v.result.Calls[-1-line].Verdict, 0
	for i, call := range v.vis {
		if v.isCall(i) && v.result.Calls[call].Verdict == of {
			n++
		}
	}
	name := [replay.Verdicts]safe.Text{"SAME", "CHANGED", "MISSING", "EXTRA", "BROKEN", "FIXED", "SLOWER", "SKIPPED"}[of]
	return name + " " + term.Number(n)
}

// drawCall draws what was called, with its arguments where its recording was read.
func (v *Comparison) drawCall(l *term.Line, sc *library.Scene, c *replay.Outcome) {
	if c.Target == "" {
		l.Put(sc.Theme.Dim, safe.Line(c.Method))
		return
	}
	l.Put(term.Bold, safe.Line(c.Target))
	of, n := v.result.First, c.Frame
	if n == 0 {
		of, n = v.result.Second, c.Other
	}
	for _, r := range sc.All {
		if row := r.RowAt(uint64(n)); r.ID == of && n > 0 && row >= 0 {
			if name, args, _ := strings.Cut(r.Texts.Of(row).Target, " "); name == c.Target {
				l.Gap(1).Put(sc.Theme.JSONString, safe.Line(args))
			}
		}
	}
}

// verdictOf is the colour of a call: one that is the same may be slower.
func verdictOf(sc *library.Scene, c *replay.Outcome) term.Style {
	if c.Verdict == replay.Same && c.Slower {
		return sc.Theme.Warn
	}
	return callVerdict(sc, c.Verdict)
}

// paceOf is the colour of how long the second response took.
func paceOf(sc *library.Scene, c *replay.Outcome) term.Style {
	switch {
	case c.Slower:
		return sc.Theme.Warn
	case c.Was.There && c.Now.There && c.Now.Took*20 < c.Was.Took:
		return sc.Theme.Ok
	}
	return term.Plain
}

// noteOf says what there is to say of a call besides its changes, "" for nothing.
func noteOf(c *replay.Outcome) safe.Text {
	note := safe.Line(c.Note)
	switch {
	case c.Verdict == replay.Fixed && note != "":
		return "was " + note
	case c.Verdict == replay.Same && note == "" && len(c.Changes) == 0:
		return "no significant difference"
	}
	return note
}

// remarks are what became of findings, and notes about the comparison.
func (v *Comparison) remarks(sc *library.Scene, w, h int) []string {
	most := min(max(h/4, 1), 3)
	d := document.Doc{Width: w - 1}
	for i, s := range v.result.Remarks {
		if i == most-1 && len(v.result.Remarks) > most {
			s = "and " + string(term.Number(len(v.result.Remarks)-i)) + " more remarks: y copies all"
		}
		if i < most {
			d.AddLike(document.Card(&sc.Screen, sc.Theme.Ok), 0, term.S(term.Plain, safe.Line(s)))
		}
	}
	return d.All(&sc.Screen, w, 1)
}

const sidesHeight = 4 // lines of the box that says what is compared

func callsWidth(w int) int { return min(max(w*2/5, 48), 70) }

// sum adds up what the box about both sides says.
func (v *Comparison) sum() {
	calls := v.result.Calls
	v.was, v.took, v.several = 0, 0, false
	for i := range calls {
		c := &calls[i]
		v.was, v.took = v.was+c.Was.Took, v.took+c.Now.Took
		v.several = v.several || c.Session != calls[0].Session
	}
}

// drawSides names both sides, and says how long all calls took.
func (v *Comparison) drawSides(sc *library.Scene, w, h int) []string {
	c := v.result
	p := sc.Theme.Panel("Before and after")
	iw, _ := p.Inner(&sc.Screen, w, h)
	room := iw - 24
	side := func(label safe.Text, hue int, name, note safe.Text) *term.Line {
		l := term.NewLine(iw, sc.Glyphs).Gap(1).Cell(sc.Theme.Faint, label, 8)
		l.Put(sc.Theme.Hue(hue), sc.Glyphs.Edge).PutMax(sc.Theme.Hue(hue)+term.Bold, name, room-l.Used)
		return l.Gap(2).PutMax(sc.Theme.Dim, note, room-l.Used).Gap(room + 2 - l.Used)
	}
	now := safe.Line(c.SecondName)
	if v.replayed {
		now = v.with()
	}
	note := safe.Line(c.Second)
	if v.replayed {
		note = "against " + safe.Line(c.SecondName)
	}
	before := side("before", 0, safe.Line(c.FirstName), safe.Line(c.First))
	after := side("after", 1, now, note)
	after.Put(term.Plain, term.Duration(int64(v.was))+" "+sc.Glyphs.Arrow+" "+term.Duration(int64(v.took)))
	return p.Draw(&sc.Screen, w, h, []string{before.Finish(), after.Finish()})
}
