package gating

import (
	"strings"
	"unicode/utf8"

	"midwire/intercept/gate"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// drawBelow draws the selected message, and what can be done with it beside it.
func (v *screen) drawBelow(sc *library.Scene, w, height int) []string {
	if height <= 0 {
		return nil
	}
	if !sc.Boxed {
		return v.drawText(sc, w, height)
	}
	left := w * 64 / 120
	out, right := v.drawText(sc, left, height), v.drawDecide(sc, w-left, height)
	for i := range out {
		out[i] += right[i]
	}
	return out
}

func (v *screen) drawText(sc *library.Scene, w, height int) []string {
	th := sc.Theme
	h, _ := v.selected()
	d := v.written()
	p := th.Panel("", v.textState(sc, d)...)
	switch {
	case d == nil:
		return p.Draw(&sc.Screen, w, height, nil)
	case v.mode == writesReply:
		p.Name[0].Text = "Reply to " + ref(h)
	default:
		p.Name[0].Text = ref(h) + " " + safe.Line(h.Kind)
		if d.edited || d.changed() {
			p.Name = append(p.Name, term.S(th.Warn, "  edited"))
		}
	}
	p.Focus = v.mode > writesFilter
	iw, ih := p.Inner(&sc.Screen, w, height)
	foot := textFoot(sc, d)
	if len(foot) > 0 {
		ih--
	}
	e := d.body
	e.top = term.Reveal(e.top, e.row, ih, len(e.lines))
	var out []string
	for i := e.top; i < min(e.top+ih, len(e.lines)); i++ {
		out = append(out, v.drawLine(sc, d, i, iw))
	}
	if len(foot) > 0 {
		out = append(out, term.Blanks(ih-len(out), iw)...)
		l := term.NewLine(iw, sc.Glyphs).Gap(1)
		out = append(out, l.Segs(foot).Finish())
	}
	return p.Draw(&sc.Screen, w, height, out)
}

func ref(h *gate.Held) safe.Text {
	if h.Frame == 0 {
		return "held " + safe.Int(h.ID)
	}
	return "#" + safe.Int(h.Frame)
}

// textState says whether what is written can go on, and how long it is.
func (v *screen) textState(sc *library.Scene, d *draft) (out []term.Seg) {
	th := sc.Theme
	if d == nil {
		return nil
	}
	if d.fault() != "" { // there is room for one
		return append(out, term.S(th.Err, sc.Glyphs.Err), term.S(term.Plain, " no JSON"))
	}
	if d.json {
		out = append(out, term.S(th.Ok, sc.Glyphs.Ok), term.S(th.Dim, " valid"))
	}
	if !d.whole || d.own {
		return out
	}
	if d.json {
		out = append(out, term.S(term.Plain, "  "))
	}
	now, was := d.size()
	if out = append(out, term.S(term.Bold, now)); was != "" {
		out = append(out, term.S(th.Dim, ", was "+was))
	}
	return out
}

// textFoot says what follows from what is written, or what is wrong with it.
func textFoot(sc *library.Scene, d *draft) []term.Seg {
	th := sc.Theme
	switch now, was := d.size(); {
	case d.fault() != "":
		return []term.Seg{term.S(th.Err, d.fault())}
	case d.closed() != "":
		return []term.Seg{term.S(th.Warn, d.closed())}
	case d.own:
	case was != "":
		return []term.Seg{
			term.S(th.Dim, "The length becomes "), term.S(term.Bold, now), term.S(th.Dim, ". Both versions are recorded."),
		}
	}
	return nil
}

// drawLine draws a line of a text, with what it was beside it.
func (v *screen) drawLine(sc *library.Scene, d *draft, i, w int) string {
	th, e := sc.Theme, d.body
	l := term.NewLine(w, sc.Glyphs)
	was, replaced, added := e.was(i)
	num, sign := th.Faint, safe.Text(" ")
	switch {
	case d.own:
	case replaced || added:
		l.On(th.Added).Put(th.Ok, sc.Glyphs.Edge)
		if num, sign = th.Dim, sc.Glyphs.Changed; added {
			sign = "+"
		}
	}
	digits := max(len(safe.Int(len(e.lines))), 2)
	l.Gap(1-l.Used).Right(num, safe.Int(i+1), digits).Gap(1).Put(th.Warn, sign).Gap(1)
	line := e.lines[i]
	written := v.mode > writesFilter && i == e.row
	if !written {
		colour(l, sc, line, l.Max-l.Used)
	} else {
		writing(l, sc, line, e.col)
	}
	if replaced && !d.own {
		if old := value(was); l.Max-l.Used > 12 {
			l.Gap(4).Put(th.Dim, "was ").Put(th.Err, safe.Line(old))
		}
	}
	return l.Finish()
}

func value(line string) string {
	line = strings.TrimSuffix(strings.TrimSpace(line), ",")
	if name, rest, ok := strings.Cut(line, `": `); ok && strings.HasPrefix(name, `"`) {
		return rest
	}
	return line
}

// colour writes a line in the colours of JSON. What there is no room for is cut
// with a sign.
func colour(l *term.Line, sc *library.Scene, line string, room int) {
	cut := words.Clip(line, 4*max(room, 0)+4)
	for rest := cut; rest != ""; {
		n, st := document.JSONToken(sc.Theme, rest)
		l.Put(st, safe.Line(rest[:n]))
		rest = rest[n:]
	}
	if len(cut) < len(line) {
		l.Put(sc.Theme.Dim, sc.Glyphs.Ellipsis)
	}
}

// writing writes the line with the cursor, which is always seen.
func writing(l *term.Line, sc *library.Scene, line string, col int) {
	room := l.Max - l.Used - 2
	from, width := col, 0
	for from > 0 {
		_, n := utf8.DecodeLastRuneInString(line[:from])
		if width += term.Width(safe.Line(line[from-n : from])); width > room*3/4 {
			break
		}
		from -= n
	}
	if from > 0 {
		l.Put(sc.Theme.Dim, sc.Glyphs.Ellipsis)
	}
	shown := words.Clip(line[from:], 4*l.Max)
	at := col - from
	for pos := 0; pos < len(shown); {
		n, st := document.JSONToken(sc.Theme, shown[pos:])
		token := shown[pos : pos+n]
		if at < pos || at >= pos+n {
			l.Put(st, safe.Line(token))
		} else {
			l.Put(st, safe.Line(token[:at-pos]))
			caret(l, st, token[at-pos:])
		}
		pos += n
	}
	if at >= len(shown) {
		caret(l, term.Plain, "")
	}
}

// caret writes a text with the cursor on its first character, or behind it all.
func caret(l *term.Line, st term.Style, text string) {
	if text == "" {
		l.Put(term.Reverse, " ")
		return
	}
	_, n := utf8.DecodeRuneInString(text)
	l.Put(st+term.Reverse, safe.Line(text[:n])).Put(st, safe.Line(text[n:]))
}

// drawDecide draws what can be done.
func (v *screen) drawDecide(sc *library.Scene, w, height int) []string {
	th := sc.Theme
	h, d := v.selected()
	p := th.Panel("Decide")
	iw, ih := p.Inner(&sc.Screen, w, height)
	var out []string
	line := func(segs ...term.Seg) {
		out = append(out, term.NewLine(iw, sc.Glyphs).Gap(1).Segs(segs).Finish())
	}
	keys := 0
	for _, c := range v.choices(h, d) {
		keys = max(keys, len(c[0])+2)
	}
	for _, c := range v.choices(h, d) {
		l := term.NewLine(iw, sc.Glyphs).Gap(1).Cell(th.Key, c[0], keys)
		out = append(out, l.Cell(term.Bold, c[1], 18).Gap(1).Put(th.Dim, c[2]).Finish())
	}
	if h != nil {
		p.State = []term.Seg{term.S(th.Dim, ref(h)+"  ")}
		if row := v.row(h); row >= 0 {
			s := int(v.g.rec.Tracker.Row(row).Session)
			p.State = append(p.State, term.S(v.g.rec.Hue(th, s), v.g.rec.SessionName(s)))
		}
	}
	card := []safe.Text{"A changed message is marked edited for good,", "in the list, in exports and in findings.", "Quitting releases everything."}
	if len(out)+len(card) <= ih {
		out = append(out, term.Blanks(ih-len(out)-len(card), iw)...)
		for _, t := range card {
			line(term.S(th.Warn, sc.Glyphs.Card+" "), term.S(term.Plain, t))
		}
	}
	return p.Draw(&sc.Screen, w, height, out)
}

// choices are the keys that decide, with what follows.
func (v *screen) choices(h *gate.Held, d *draft) [][3]safe.Text {
	switch {
	case v.mode == writesReply:
		return v.keys()
	case h == nil:
		return nil
	}
	release, lost := safe.Text("send it on"), safe.Text("nobody gets it")
	if d.changed() || d.edited {
		release = "send the edited " + safe.Line(h.Kind) + " on"
	}
	if h.Kind == "request" {
		if lost = "the client gets no answer"; !toServer(h) {
			lost = "the server gets no answer"
		}
	}
	out := [][3]safe.Text{{"a", "release", release}, {"A", "release as it was", "forget the change"}, {"X", "drop", lost}}
	if v.whyNotReply() == "" {
		out = append(out, [3]safe.Text{"r", "reply instead", "an error, or a result of yours"})
	}
	return out
}
