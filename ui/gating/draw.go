package gating

import (
	"cmp"
	"strings"
	"time"

	"midwire/intercept/gate"
	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
	"midwire/ui/view"
)

// patience is how long clients wait by themselves: what most SDKs begin with.
const patience = 60 * time.Second

type parts struct{ gate, list, below int }

func (v *screen) parts(sc *library.Scene, h int) (p parts) {
	p.gate = 1
	if sc.Boxed {
		p.gate = 4
	} else if h >= 12 {
		p.gate = 2
	}
	rest := max(h-p.gate, 0)
	over := v.mode == writesDraft || v.mode == writesReply
	switch held, _ := v.selected(); {
	case held == nil && !over:
	case sc.Boxed:
		p.below = min(max(rest*14/30, 10), rest-6)
	case over:
		p.below = rest
	case rest >= 12:
		p.below = rest / 2
	}
	p.below = max(p.below, 0)
	p.list = rest - p.below
	return p
}

// Draw implements view.View.
func (v *screen) Draw(h view.Host, sc *library.Scene, w, height int) []string {
	p := v.parts(sc, height)
	out := v.drawGate(sc, w, p.gate)
	out = append(out, v.drawList(h, sc, w, p.list)...)
	if v.heldAt += p.gate; sc.Boxed {
		v.heldAt++ // the frame
	}
	out = append(out, v.drawBelow(sc, w, p.below)...)
	out = out[:min(len(out), height)]
	return append(out, term.Blanks(height-len(out), w)...)
}

// drawGate draws what is armed, and what it costs to hold.
func (v *screen) drawGate(sc *library.Scene, w, height int) []string {
	th := sc.Theme
	inner := w
	if sc.Boxed {
		inner = w - 2
	}
	armed := v.drawArmed(sc, term.NewLine(inner, sc.Glyphs).Gap(1)).Finish()
	timer := v.drawTimer(sc, term.NewLine(inner, sc.Glyphs).Gap(1)).Finish()
	if !sc.Boxed {
		return []string{armed, timer}[:max(min(height, 2), 0)]
	}
	p := th.Panel("Gate", term.S(th.Key, "I "), term.S(th.Dim, "arm, disarm   "), term.S(th.Key, "ctrl+g "), term.S(th.Dim, "release all"))
	p.Name = append(p.Name, term.S(th.Dim, "  holds what matches, everything else passes untouched"))
	if len(v.g.state.Armed) > 0 {
		p.Frame = th.Warn
	}
	return p.Draw(&sc.Screen, w, height, []string{armed, timer})
}

func (v *screen) drawArmed(sc *library.Scene, l *term.Line) *term.Line {
	th, g := sc.Theme, v.g
	if v.mode == writesFilter {
		before := v.line.Before()
		from, most := l.Put(th.Dim, "filter ").Used, l.Max/2
		shown := safe.Line(before)
		if over := term.Width(shown) - most; over > 0 {
			shown = term.CutLeft(shown, over+1, sc.Glyphs.Ellipsis)
		}
		caret(l.Put(term.Plain, shown), term.Plain, v.line.Value()[len(before):])
		_, bad := ruleOf(v.line.Value())
		return l.Gap(max(from+most/2-l.Used, 2)).Put(th.Warn, bad)
	}
	own := g.own()
	switch {
	case g.control == nil && g.over != "":
		return l.Put(th.Dim, g.over)
	case g.control == nil:
		return l.Put(th.Dim, "The gate is being reached"+sc.Glyphs.Ellipsis)
	case len(g.state.Armed) == 0:
		l.Put(th.Dim, "disarmed: everything passes")
	default:
		by, since, shown := safe.Text("armed by another controller"), safe.Text(""), &g.state.Armed[0]
		if own != nil {
			by, since, shown = "armed for ", lasting(sc.Now.Sub(g.armed)), own
		}
		when, does, _ := strings.Cut(shown.Rule, "=>")
		chip := cmp.Or(safe.Line(strings.TrimSpace(when)), "everything")
		chip = term.Shorten(chip, max(l.Max-76, l.Max/3), sc.Glyphs)
		l.Segs([]term.Seg{th.Badge(th.Warn+term.Bold, chip)}).Gap(2)
		l.PutMax(term.Plain, safe.Line(strings.TrimSpace(does)), 20).Gap(3).Put(th.Dim, by).Put(term.Plain, since)
	}
	for _, n := range []struct {
		what safe.Text
		n    int
	}{{"released ", g.state.Counts.Released}, {"dropped ", g.state.Counts.Dropped}} {
		if number := term.Number(n.n); l.Max-l.Used > 3+term.Width(n.what+number) {
			l.Gap(3).Put(th.Dim, n.what).Put(term.Plain, number)
		}
	}
	if n := len(g.state.Armed) - 1; n > 0 {
		l.Gap(3).Put(th.Warn, term.Count(n, "rule")+" more")
	}
	return l
}

// lasting is how long something lasts, in words.
func lasting(d time.Duration) safe.Text {
	switch d = max(d, 0); {
	case d < time.Minute:
		return safe.Int(int(d.Seconds())) + " s"
	case d < time.Hour:
		return safe.Int(int(d.Minutes())) + " min"
	}
	return safe.Int(int(d.Hours())) + " h"
}

// drawTimer warns of the timer of whoever waits.
func (v *screen) drawTimer(sc *library.Scene, l *term.Line) *term.Line {
	th := sc.Theme
	h, _ := v.selected()
	if h == nil {
		return l.Put(th.Dim, "Nothing is held: it waits for a match.")
	}
	who, whose, st := safe.Text(""), safe.Text("The client's"), th.Pend
	if row := v.row(h); row >= 0 {
		s := int(v.g.rec.Tracker.Row(row).Session)
		if s >= 0 {
			who, st = v.g.rec.SessionName(s), v.g.rec.Hue(th, s)
		}
	}
	if who == "" {
		who = "the client"
	}
	switch fromServer := !toServer(h); {
	case h.Kind == "notification":
		return l.Put(th.Dim, "Nobody waits for a notification, but what comes later may overtake it.")
	case fromServer && h.Kind == "request":
		who, whose, st = "the server", "The server's", term.Plain
	}
	waits := max(sc.Now.Sub(v.g.since(h)), 0)
	numbers := safe.Float(waits.Seconds(), 1) + " of 60 s"
	end := l.Max - term.Width(numbers) - 2
	l.PutMax(th.Dim, whose+" own timer runs: ", end-l.Used)
	l.PutMax(st, who, min(30, end-l.Used))
	if gives := safe.Text(" may give up (SDK default: 60 s)"); l.Used+len(gives) <= end {
		l.Put(th.Dim, gives)
	}
	bar := th.Warn
	if waits >= patience {
		bar = th.Err
	}
	if from := l.Used + 3; end-from >= 8 {
		l.Gap(3)
		full := from + int(min(waits, patience)*time.Duration(end-from)/patience)
		l.Fill(bar, sc.Glyphs.Full, full).Fill(th.Frame, sc.Glyphs.Rest, end)
	}
	return l.Gap(end+1-l.Used).Put(term.Plain, numbers)
}

// row is the row of a held message in the recording, -1 while it has none.
func (v *screen) row(h *gate.Held) int {
	if h.Frame == 0 || v.g.rec == nil {
		return -1
	}
	return v.g.rec.RowAt(h.Frame)
}

// drawList draws what is held, and the latest messages below it.
func (v *screen) drawList(h view.Host, sc *library.Scene, w, height int) []string {
	th := sc.Theme
	p := th.Panel("Messages", term.S(th.Dim, term.Count(h.Rows().Total(), "exchange")))
	p.Focus = v.mode == writesNothing
	iw, ih := p.Inner(&sc.Screen, w, height)
	all := v.g.state.Held
	rows := h.Rows()
	own := h.Scope().Rec == v.g.rec && v.g.rec != nil
	look := &messages.Look{Width: iw, Focus: true}
	var out []string
	if own {
		out = append(out, rows.Headings(sc, look))
	}
	room := max(ih-len(out)-1, 0) // below the line that says what is held
	v.list.Fit(len(all), max(min(len(all), (room+1)/2), 1))
	head := term.NewLine(iw, sc.Glyphs).Gap(1).Put(th.Warn+term.Bold, "HELD "+term.Number(len(all))).Gap(1)
	if len(all) == 0 {
		head.Put(th.Dim, "waits for a match ")
	}
	if below := len(all) - v.list.Top - v.list.Height; below > 0 {
		head.Put(th.Dim, term.Number(below)+" more below ")
	}
	out = append(out, head.Fill(th.Frame, sc.Glyphs.H, iw-1).Finish())
	v.heldAt = len(out)
	for i := v.list.Top; i < min(v.list.Top+v.list.Height, len(all)); i++ {
		m := &all[i]
		if row := v.row(m); own && row >= 0 {
			out = append(out, rows.DrawRow(sc, look, row, m.ID == v.at))
		} else {
			out = append(out, v.drawUnrecorded(sc, iw, m))
		}
	}
	if left := ih - len(out) - 1; own && left > 0 {
		l := term.NewLine(iw, sc.Glyphs).Gap(1).Put(th.Dim+term.Bold, "FOLLOWING").Gap(1)
		out = append(out, l.Fill(th.Frame, sc.Glyphs.H, iw-1).Finish())
		out = append(out, v.following(rows, sc, look, left)...)
	}
	return p.Draw(&sc.Screen, w, height, out)
}

// following draws the latest messages that are not held, whatever the list leaves out:
// everything else passes.
func (v *screen) following(rows *messages.List, sc *library.Scene, look *messages.Look, n int) (out []string) {
	var last []int
	for i := v.g.rec.Tracker.Rows() - 1; i >= 0 && len(last) < n; i-- {
		switch kind := v.g.rec.Tracker.Row(i).Kind; {
		case !v.g.rec.Held[i].IsZero():
		case kind <= session.RowNoise: // a message
			last = append(last, i)
		}
	}
	for i := len(last) - 1; i >= 0; i-- {
		out = append(out, rows.DrawRow(sc, look, last[i], false))
	}
	return out
}

// drawUnrecorded draws a message that is held and not in the list.
func (v *screen) drawUnrecorded(sc *library.Scene, w int, m *gate.Held) string {
	l := sc.Row(w, m.ID == v.at, true)
	what := m.Kind + " " + m.Method + " " + m.Tool
	l.Gap(1).Put(sc.Theme.Warn, sc.Glyphs.Issued).Gap(1).PutMax(term.Plain, safe.Line(what), max(w-40, 8)).Gap(2)
	l.Segs([]term.Seg{sc.Theme.Badge(sc.Theme.Warn+term.Bold, "held at the gate")})
	return l.Gap(2).Put(sc.Theme.Warn+term.Bold, seconds(sc.Now.Sub(v.g.since(m)))).Finish()
}
