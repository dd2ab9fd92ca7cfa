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
	v.head = len(body) + 1
	row := func(i int) *capRow { return &v.rows[i] }
	return view.Rows(&p, v.table(sc, hue), &v.lines, len(v.rows), row, w, h, body...)
}

// peers says who both sides are, which protocol versions they named, and what is
// not known of them.
func (v *capabilitiesView) peers(sc *library.Scene, hue term.Style, w int) []string {
	var out []string
	line := func(label safe.Text, segs []term.Seg) {
		out = append(out, hueRow(sc, w, hue).Cell(sc.Theme.Faint, label, 14).Segs(segs).Finish())
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

// table is the columns of the matrix.
func (v *capabilitiesView) table(sc *library.Scene, hue term.Style) *term.Table[*capRow] {
	side := func(of func(*capRow) *insight.Capability) func(*capRow) term.Seg {
		return func(r *capRow) term.Seg {
			sign, word, st := v.declared(sc, of(r))
			if word != "" {
				sign += " " + word
			}
			return term.S(st, sign)
		}
	}
	return &term.Table[*capRow]{
		Screen: &sc.Screen,
		Lead:   func(r *capRow) (term.Style, term.Seg) { return hue, v.sign(sc, r) },
		Columns: []term.Column[*capRow]{
			{Head: "CAPABILITY", Min: 13, Max: 33, Cell: func(r *capRow) term.Seg {
				if v.rank(r) > 3 {
					return term.S(sc.Theme.Dim, safe.Line(r.name))
				}
				return term.S(term.Plain, safe.Line(r.name))
			}},
			{Head: "CLIENT", Min: 6, Max: 16, Gap: 1, Cell: side(func(r *capRow) *insight.Capability { return r.client })},
			{Head: "SERVER", Min: 6, Max: 16, Gap: 1, Cell: side(func(r *capRow) *insight.Capability { return r.server })},
			{Head: "USED", Min: 6, Gap: 1, Cell: func(r *capRow) term.Seg { used, _ := v.used(sc, r); return used }},
			{Head: "NOTES", Min: 10, Flex: 1, Rank: 1, Cell: func(r *capRow) term.Seg {
				_, note := v.used(sc, r)
				return note
			}},
		},
	}
}

func (v *capabilitiesView) sign(sc *library.Scene, r *capRow) term.Seg {
	rank := v.rank(r)
	for _, c := range r.both() {
		if !c.Declared && v.side(c).N == 0 && rank > 1 {
			return term.S(sc.Theme.Dim, "?")
		}
	}
	switch rank {
	case 0:
		return term.S(sc.Theme.Err, sc.Glyphs.Err)
	case 1:
		return term.S(sc.Theme.Warn, sc.Glyphs.Warn)
	case 2:
		return term.S(sc.Theme.Ok, sc.Glyphs.Ok)
	case 3:
		return term.S(sc.Theme.Dim, sc.Glyphs.Ended)
	}
	return term.S(sc.Theme.Dim, sc.Glyphs.Dot)
}

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
		case c.Extension != "":
			note = term.S(sc.Theme.Dim, safe.Line(c.Extension))
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
