package oauth

import (
	"cmp"
	"slices"
	"strings"

	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

const (
	titleAt = 6  // column of the names of steps
	titleW  = 24 // cells for them
	mostRow = 4  // flows that are listed at once

	leastValue = 12 // cells that a value is worth showing in
)

type drawing struct {
	*flowView
	sc   *library.Scene
	f    *auth.Flow
	w    int
	long [auth.Kinds]bool // of a step what came of it is drawn below it
}

func (v *flowView) Draw(_ view.Host, sc *library.Scene, w, h int) []string {
	v.hits, v.BelowAt = nil, h
	f := v.flow()
	if f == nil {
		return v.drawEmpty(sc, w, h)
	}
	edge := 1
	if sc.Boxed {
		edge = 2
	}
	below := 0
	if h >= 15 {
		if below = max(11, h/3); h-below < int(auth.Kinds)+edge {
			below = h - int(auth.Kinds) - edge
		}
	}
	v.Reading = v.Reading && below > 0
	out := v.drawFlow(sc, f, w, h-below, below > 0)
	if below > 0 {
		v.BelowAt = len(out)
		out = append(out, v.drawBelow(sc, f, w, h-len(out))...)
	}
	return out
}

// drawFlow draws the steps in at most h lines, in exactly h unless fits is set.
func (v *flowView) drawFlow(sc *library.Scene, f *auth.Flow, w, h int, fits bool) []string {
	p := term.Panel{Name: v.title(sc, f), State: v.panelState(sc, f), Focus: !v.Reading}
	iw, ih := p.Inner(&sc.Screen, w, h)
	d := &drawing{flowView: v, sc: sc, f: f, w: iw}
	head, foot := d.flows(ih), d.foot()
	if ih > int(auth.Kinds)+1+len(head) {
		head = append(head, d.columns())
		v.hits = append(v.hits, noLine)
	}
	if ih-len(head)-len(foot) < int(auth.Kinds)+4 {
		foot = nil
	}
	room := ih - len(head) - len(foot)
	if used := d.grow(room); fits && used < room {
		h, ih, room = h-room+used, ih-room+used, used
	}
	v.Lines.Fit(len(f.Steps), min(room, len(f.Steps)))
	body := head
	for i := v.Lines.Top; i < len(f.Steps) && len(body) < len(head)+room; i++ {
		for r := range d.rows(i) {
			body = append(body, d.row(i, r))
			v.hits = append(v.hits, i)
		}
	}
	body = append(body, term.Blanks(ih-len(foot)-len(body), iw)...)
	_, y := p.Origin(&sc.Screen)
	v.hits = append(slices.Repeat([]int{noLine}, y), v.hits...)
	return p.Draw(&sc.Screen, w, h, append(body, foot...))
}

func (v *flowView) title(sc *library.Scene, f *auth.Flow) []term.Seg {
	out := []term.Seg{term.S(sc.Theme.Title, "Authorization flow")}
	if n := len(v.account.Flows); n > 1 {
		out[0].Text = "Flow " + safe.Int(v.at+1) + " of " + safe.Int(n)
	}
	if f.Title() != "login" {
		out = append(out, term.Spare(1, term.S(sc.Theme.Dim, "  "+safe.Line(f.Title())))...)
	}
	return out
}

func (v *flowView) panelState(sc *library.Scene, f *auth.Flow) []term.Seg {
	var version, keys []term.Seg
	if f.Version != "" {
		version = []term.Seg{term.S(sc.Theme.Dim, safe.Line(f.Version))}
	}
	if left := v.account.LeftOut; left > 0 {
		version = append(version, term.S(sc.Theme.Warn, "  "+term.Count(left, "more flow")+" left out"))
	}
	keys = []term.Seg{term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, " to the message")}
	if n := len(v.account.Flows); n > 1 {
		next := &v.account.Flows[(v.at+1)%n]
		keys = append(keys, term.S(sc.Theme.Key, "   n"), term.S(sc.Theme.Dim, " "+safe.Line(next.Title())))
	}
	return view.Join(version, term.Spare(1, keys...))
}

// flows lists the flows around the one that is shown, where there are several.
func (d *drawing) flows(h int) (out []string) {
	n := min(len(d.account.Flows), mostRow, h-int(auth.Kinds)-6)
	if len(d.account.Flows) < 2 || n < 1 {
		return nil
	}
	from := term.Reveal(max(0, d.at-n/2), d.at, n, len(d.account.Flows))
	for i := from; i < from+n; i++ {
		f := &d.account.Flows[i]
		sign, st, words := outcome(d.sc, f)
		l := term.NewLine(d.w, d.sc.Glyphs)
		name := term.Plain
		if i == d.at {
			name = term.Bold
			l.On(d.sc.Theme.SelDim).Put(d.sc.Theme.Key, d.sc.Glyphs.Edge)
		}
		l.Gap(1-l.Used).Put(st, sign).Right(d.sc.Theme.Dim, safe.Int(f.Number), 3).Gap(1)
		l.PutMax(name, safe.Line(f.Title()), titleW-1).Gap(titleAt + titleW - l.Used)
		l.PutMax(st, words, 26).Gap(titleAt + titleW + 28 - l.Used)
		l.PutMax(d.client(f), safe.Line(cmp.Or(f.Client, "a client")), d.w-l.Used)
		out = append(out, l.PutMax(d.sc.Theme.Dim, " "+d.sc.Glyphs.Arrow+" "+safe.Line(f.URL), d.w-l.Used).Finish())
		d.hits = append(d.hits, flowLine-i)
	}
	return append(out, d.rule(&d.hits))
}

func (d *drawing) rule(lines *[]int) string {
	if lines != nil {
		*lines = append(*lines, noLine)
	}
	return term.NewLine(d.w, d.sc.Glyphs).Fill(d.sc.Theme.Frame, d.sc.Glyphs.H, d.w).Finish()
}

// outcome is how a flow ended, in a sign and some words.
func outcome(sc *library.Scene, f *auth.Flow) (safe.Text, term.Style, safe.Text) {
	th, g := sc.Theme, sc.Glyphs
	c := f.First()
	switch {
	case f.Outcome == auth.Authorized && c == nil, f.Outcome == auth.NoLogin && c == nil:
		return g.Ok, th.Ok, "accepted"
	case f.Outcome == auth.Authorized:
		return g.Warn, th.Warn, "accepted, " + term.Count(len(f.Checks), "check") + " failed"
	case c != nil:
		return g.Err, th.Err, "fails at step " + safe.Int(int(c.Step)+1)
	case f.Outcome == auth.Broken:
		return g.Err, th.Err, "fails"
	}
	return g.Pend, th.Pend, "not finished"
}

func (d *drawing) client(f *auth.Flow) term.Style {
	return d.sc.Rec.Hue(d.sc.Theme, max(f.Session-1, 0))
}

// foot says what the signs mean, and what cannot be seen.
func (d *drawing) foot() []string {
	th, g := d.sc.Theme, d.sc.Glyphs
	l := term.NewLine(d.w, g).Gap(1)
	for _, s := range []auth.State{auth.Done, auth.Failed, auth.Skipped, auth.NotSeen} {
		sign, st := stateSign(d.sc, s)
		l.Put(st, sign).Put(th.Dim, " "+safe.Line(s.String())).Gap(2)
	}
	out := []string{d.rule(nil), l.Finish()}
	if segs := unseen(d.sc, d.f); segs != nil {
		l := term.NewLine(d.w, g).Gap(1)
		for _, s := range segs {
			l.PutMax(s.Style, s.Text, d.w-1-l.Used)
		}
		out = append(out, l.Finish())
	}
	return out
}

// columns is the line above the steps.
func (d *drawing) columns() string {
	faint, right := d.sc.Theme.Faint, safe.Text("REQUEST")
	l := term.NewLine(d.w, d.sc.Glyphs).Gap(titleAt).Put(faint, "STEP").Gap(titleW - 4)
	l.PutMax(faint, "VALUE FOR THE NEXT", d.w-l.Used)
	if !term.Narrow(d.w) {
		l.Gap(d.w-1-term.Width(right)-l.Used).Put(faint, right)
	}
	return l.Finish()
}

// grow has drawn what came of as many steps as there is room for: first of the one that
// failed first, then of others that failed, then of those that were done.
func (d *drawing) grow(room int) (used int) {
	used = len(d.f.Steps)
	first := -1
	if c := d.f.First(); c != nil {
		first = int(c.Step)
	}
	is := func(s auth.State) func(int) bool { return func(i int) bool { return d.f.Steps[i].State == s } }
	for _, want := range []func(int) bool{func(i int) bool { return i == first }, is(auth.Failed), is(auth.Done)} {
		for i := range d.f.Steps {
			s := &d.f.Steps[i]
			says := s.Text != "" && (s.State == auth.Failed || s.Kind != auth.Redirect)
			if used < room && !d.long[i] && says && want(i) {
				d.long[i] = true
				used++
			}
		}
	}
	return used
}

func (d *drawing) rows(i int) int {
	if d.long[i] {
		return 2
	}
	return 1
}

func (d *drawing) row(i, r int) string {
	th, s := d.sc.Theme, &d.f.Steps[i]
	l := term.NewLine(d.w, d.sc.Glyphs)
	chosen := i == d.Lines.Sel
	c := d.f.First()
	failing := c != nil && int(c.Step) == i
	sign, st := stateSign(d.sc, s.State)
	switch {
	case failing && th.Removed != "":
		l.On(th.Removed)
	case chosen:
		l.Selected(th, !d.Reading)
	}
	if chosen {
		l.Put(st, d.sc.Glyphs.Edge)
	}
	l.Gap(1 - l.Used)
	last := d.last(s)
	end := d.w - 1
	switch r {
	case 0:
		end -= term.SegsWidth(last) + 2
		name := term.Plain
		switch s.State {
		case auth.Done, auth.Failed:
			name = term.Bold
		case auth.NotSeen, auth.Skipped:
			name = th.Dim
		}
		if s.State == auth.Failed {
			name = th.Err
		}
		l.Put(st, sign).Right(th.Dim, safe.Int(s.Number), 3).Gap(1)
		l.PutMax(name, safe.Line(s.Kind.Title()), titleW-1).Gap(titleAt + titleW - l.Used)
		if end-l.Used >= leastValue {
			for _, seg := range d.value(i) {
				l.PutMax(seg.Style, seg.Text, end-l.Used)
			}
		}
		l.Gap(end + 2 - l.Used).Segs(last)
	case 1:
		text := th.Dim
		if s.State == auth.Failed {
			text = th.Err
		}
		l.Gap(titleAt+2-l.Used).PutMax(text, safe.Line(d.came(s)), end-l.Used)
	}
	return l.Finish()
}

// came says what came of a step: what fails of one that the servers let pass.
func (d *drawing) came(s *auth.Step) string {
	n := len(s.Exchanges)
	if s.State != auth.Failed || s.Kind == auth.Resource || n == 0 || s.Exchanges[n-1].Status >= 400 {
		return s.Text
	}
	for i := range d.f.Checks {
		if c := &d.f.Checks[i]; c.Step == s.Kind {
			return strings.ReplaceAll(c.ID, "-", " ")
		}
	}
	return s.Text
}

// last is the last request of a step, and how many there were before it.
func (d *drawing) last(s *auth.Step) (out []term.Seg) {
	n := len(s.Exchanges)
	if n == 0 || term.Narrow(d.w) {
		return nil
	}
	x := &s.Exchanges[n-1]
	if more := n - 1 + s.More/2; more > 0 {
		out = append(out, term.S(d.sc.Theme.Dim, term.Number(more)+" before, "))
	}
	out = append(out, term.S(d.sc.Theme.Key, view.FrameRef(x.Request)))
	if term.Wide(d.w) {
		out = append(out, term.S(term.Plain, " "+requestName(x.What)))
	}
	if x.Status != 0 {
		out = append(out, term.S(statusStyle(d.sc, s, x), " "+safe.Int(x.Status)))
	}
	return out
}

func (v *flowView) drawEmpty(sc *library.Scene, w, h int) []string {
	p := term.Panel{Name: []term.Seg{term.S(sc.Theme.Title, "Authorization flow")}, Focus: true}
	iw, ih := p.Inner(&sc.Screen, w, h)
	v.Lines.Fit(0, ih)
	d := document.Doc{Width: iw - 6}
	v.emptyWords(sc, &d)
	return p.Draw(&sc.Screen, w, h, append(term.Blanks(min(1, h/12), iw), d.All(&sc.Screen, iw, 3)...))
}

// emptyWords says that there is no login, and how to see one.
func (v *flowView) emptyWords(sc *library.Scene, d *document.Doc) {
	th := sc.Theme
	if view.Unread(sc, d, sc.Rec, v.answered) {
		return
	}
	switch {
	case sc.Rec.Tap == "stdio":
		d.Text(term.Plain, "No login: this is stdio. OAuth belongs to HTTP; a server on stdio takes its credentials from the environment.")
	default:
		d.Add(term.S(th.Ok, sc.Glyphs.Ok+" "), term.S(term.Plain, "No login, and no Authorization header in this recording: the server lets everybody in."))
	}
	d.Blank()
	d.Text(th.Dim, "This view shows how a client logs in with OAuth, step by step, with the value that leads from each step to the next, and both values of the first check that fails.")
	d.Blank()
	for _, way := range [][2]safe.Text{
		{"midwire exec --host NAME", "records a client with its servers and their authorization servers"},
		{"midwire http URL", "sees what goes to the MCP server"},
		{"midwire demo oauth", "plays a login that fails"},
	} {
		d.AddIndented(26, []term.Seg{term.S(th.Key, way[0]+safe.Repeat(" ", 26-len(way[0]))), term.S(th.Dim, way[1])})
	}
	d.Blank()
	view.GoesBack(sc, d)
}
