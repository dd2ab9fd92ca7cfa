package insight

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (v *capabilitiesView) Draw(of view.Host, sc *library.Scene, w, h int) []string {
	v.h = h
	p := term.Panel{Name: title(sc, "Capabilities"), State: v.reader.State(sc), Focus: true}
	if !v.answered || !v.known {
		one := of.Scope().Session >= 0
		return nothing(sc, &p, w, h, &v.lines, func(w int) document.Doc { return v.emptyDoc(sc, one, w) })
	}
	iw, ih := p.Inner(&sc.Screen, w, h)
	hue := sc.Rec.Hue(sc.Theme, v.sides.Session)
	p.Name = append(p.Name, term.S(sc.Theme.Dim, " of "), term.S(hue, sc.Rec.SessionName(v.sides.Session)))
	var body []string
	if ih > 8 {
		body = v.peers(sc, hue, iw)
	}
	t := capabilityTable(iw)
	if ih > 3 {
		body = append(body, t.Header(term.NewLine(iw, sc.Glyphs).Gap(4), sc.Theme.Faint).Finish())
	}
	v.head = len(body)
	line := func(i int) string { return v.line(sc, t, hue, iw, i) }
	return p.Draw(&sc.Screen, w, h, rows(&v.lines, len(v.rows), ih, body, line))
}

// peers says who both sides are, which protocol versions they named, and what is
// not known of them.
func (v *capabilitiesView) peers(sc *library.Scene, hue term.Style, w int) []string {
	var out []string
	line := func(label safe.Text, segs []term.Seg) {
		out = append(out, hueRow(sc, w, hue, false, false).Cell(sc.Theme.Faint, label, 14).Segs(segs).Finish())
	}
	line("client", v.clientFacts(sc))
	line("server", v.serverFacts(sc))
	if d := &v.sides.Server; d.Instructions != "" {
		text := safe.Line(strings.Join(strings.Fields(d.Instructions), " "))
		line("instructions", []term.Seg{term.S(sc.Theme.JSONString, text)})
	}
	return append(out, term.Section(&sc.Screen, w, []term.Seg{term.S(sc.Theme.Faint, "Mismatches first")}, nil))
}

func (v *capabilitiesView) clientFacts(sc *library.Scene) (out []term.Seg) {
	s, c, dim := &v.sides, &v.sides.Client, sc.Theme.Dim
	if c.Info != 0 {
		out = append(out, term.S(term.Bold, sideName(c)))
	}
	if c.ProtocolVersion != "" {
		out = view.Join(out, []term.Seg{term.S(dim, "requested version "), term.S(term.Plain, safe.Line(c.ProtocolVersion))})
	}
	switch {
	case s.Modern:
		st := term.Plain
		if s.Envelopes < s.Requests {
			st = sc.Theme.Warn
		}
		with := term.Number(s.Envelopes) + " of " + term.Count(s.Requests, "request")
		out = view.Join(out, []term.Seg{term.S(dim, "declared in _meta of "), term.S(st, with)})
		if s.Traced > 0 {
			out = view.Join(out, []term.Seg{term.S(dim, "traceparent in "), term.S(term.Plain, term.Count(s.Traced, "request"))})
		}
	case c.N == 0:
		out = view.Join(out, []term.Seg{term.S(sc.Theme.Warn, "initialize was not seen: what it declared is not known")})
	}
	return out
}

func (v *capabilitiesView) serverFacts(sc *library.Scene) (out []term.Seg) {
	s, d, dim := &v.sides, &v.sides.Server, sc.Theme.Dim
	if d.Info != 0 {
		out = append(out, term.S(term.Bold, sideName(d)))
	}
	if d.ProtocolVersion != "" {
		segs := []term.Seg{term.S(dim, "chosen version "), term.S(term.Plain, safe.Line(d.ProtocolVersion))}
		if s.Client.ProtocolVersion != "" && d.ProtocolVersion != s.Client.ProtocolVersion {
			segs[1].Style = sc.Theme.Warn
			segs = append(segs, term.S(sc.Theme.Warn, " "+sc.Glyphs.Warn), term.S(dim, " not the requested one"))
		}
		out = view.Join(out, segs)
	}
	if d.Supported != "" {
		out = view.Join(out, []term.Seg{term.S(dim, "supported versions "), term.S(term.Plain, safe.Line(d.Supported))})
	}
	switch {
	case d.N != 0:
	case s.Refused != 0:
		out = view.Join(out, []term.Seg{term.S(sc.Theme.Err, sc.Glyphs.Err+" refused the handshake in "+view.FrameRef(s.Refused)+": it declared nothing")})
	case s.Modern:
		out = view.Join(out, []term.Seg{term.S(dim, "server/discover was not requested: what it declares is not known")})
	default:
		out = view.Join(out, []term.Seg{term.S(sc.Theme.Warn, "no response to initialize was seen: what it declares is not known")})
	}
	return out
}

func sideName(d *insight.Side) safe.Text {
	t := safe.Line(d.Name)
	if d.Title != "" && d.Title != d.Name {
		t += " (" + safe.Line(d.Title) + ")"
	}
	return t + " " + safe.Line(d.Version)
}

// capabilityTable is the columns of the matrix. What is left of a line is for the
// notes.
func capabilityTable(w int) view.Table {
	name, side := 34, 18
	switch {
	case w < 50:
		name, side = max(w-23, 14), 7
	case w < 70:
		name, side = 22, 8
	case w < 98:
		name, side = 24, 15
	}
	return view.NewTable(w,
		view.Column{Name: "CAPABILITY", W: name, After: 2},
		view.Column{Name: "CLIENT", W: side, After: 1},
		view.Column{Name: "SERVER", W: side, After: 1},
		view.Column{Name: "USED", W: 8, After: 1})
}

func (v *capabilitiesView) line(sc *library.Scene, t view.Table, hue term.Style, w, i int) string {
	r := &v.rows[i]
	l := hueRow(sc, w, hue, i == v.lines.Sel, true)
	sign, st := v.sign(sc, r)
	l.Put(st, sign).Gap(4 - l.Used)
	name := term.Plain
	if v.rank(r) > 3 {
		name = sc.Theme.Dim
	}
	row := t.Row(l).Put(name, safe.Line(r.name))
	for _, c := range []*insight.Capability{r.client, r.server} {
		sign, word, st := v.declared(sc, c)
		if t[1].W >= 15 && word != "" {
			sign += " " + word
		}
		row.Put(st, sign)
	}
	used, note := v.used(sc, r)
	row.Put(used.Style, used.Text)
	l.Put(note.Style, note.Text)
	return l.Finish()
}

// sign says at a glance how a capability stands.
func (v *capabilitiesView) sign(sc *library.Scene, r *capRow) (safe.Text, term.Style) {
	rank := v.rank(r)
	for _, c := range r.both() {
		if !c.Declared && v.side(c).N == 0 && rank > 1 {
			return "?", sc.Theme.Dim
		}
	}
	switch rank {
	case 0:
		return sc.Glyphs.Err, sc.Theme.Err
	case 1:
		return sc.Glyphs.Warn, sc.Theme.Warn
	case 2:
		return sc.Glyphs.Ok, sc.Theme.Ok
	case 3:
		return sc.Glyphs.Ended, sc.Theme.Dim
	}
	return sc.Glyphs.Dot, sc.Theme.Dim
}

// declared says whether a side declares a capability.
func (v *capabilitiesView) declared(sc *library.Scene, c *insight.Capability) (sign, word safe.Text, st term.Style) {
	switch {
	case c == nil:
		return "", "", sc.Theme.Dim
	case c.Declared:
		return sc.Glyphs.Ok, "declared", sc.Theme.Ok
	case v.side(c).N == 0:
		return "?", "unknown", sc.Theme.Dim
	case c.Undeclared():
		return sc.Glyphs.Err, "not declared", sc.Theme.Err
	}
	return sc.Glyphs.Ended, "no", sc.Theme.Dim
}

// used says how often a capability is made use of, and what else there is to say.
func (v *capabilitiesView) used(sc *library.Scene, r *capRow) (used, note term.Seg) {
	n, declared, unknown := 0, false, false
	for _, c := range r.both() {
		n += c.Used
		declared = declared || c.Declared
		unknown = unknown || c.Unknown
		switch {
		case c.Value != "":
			note = term.S(sc.Theme.Dim, safe.Line(c.Value))
		case c.Elsewhere:
			note = term.S(sc.Theme.Dim, "not of this version")
		case v.mismatch(c):
			note = term.S(sc.Theme.Err, "first in "+view.FrameRef(c.First))
		}
	}
	switch {
	case n > 0:
		return term.S(sc.Theme.Ok, sc.Glyphs.Ok+" "+term.Number(n)+sc.Glyphs.Times), note
	case unknown:
		return term.S(sc.Theme.Dim, "?"), note
	case declared:
		if note.Text == "" {
			note = term.S(sc.Theme.Dim, "never used")
		}
		return term.S(sc.Theme.Dim, sc.Glyphs.Ended), note
	}
	return term.S(sc.Theme.Dim, sc.Glyphs.Dot), note
}

func (v *capabilitiesView) emptyDoc(sc *library.Scene, one bool, w int) document.Doc {
	d := document.Doc{Width: w}
	if view.Unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	switch {
	case len(v.talks) > 0 || one:
		d.Text(term.Plain, "Nothing is known of this: no request was seen.")
	default:
		d.Text(term.Plain, "No client has said anything yet.")
		d.Text(sc.Theme.Dim, "what both sides can do stands in initialize, or in the first requests of 2026-07-28")
	}
	view.GoesBack(sc, &d)
	return d
}

func (v *capabilitiesView) Click(h view.Host, _, y int) tea.Cmd {
	again, ok := v.lines.PickLine(y - 1 - v.head)
	if r := v.selected(); ok && again && r != nil && r.frame() != 0 {
		return h.Jump(h.Scope().Rec, r.frame())
	}
	return nil
}
