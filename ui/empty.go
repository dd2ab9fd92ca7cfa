package ui

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/term"
)

// drawEmpty fills the screen while there is no recording at all: it says how
// to get one.
func (m *Model) drawEmpty(screen []string) {
	end := m.layout.status.Y
	if m.layout.hints.H > 0 {
		end = m.layout.hints.Y
	}
	d := m.emptyDoc()
	out := []string{term.NewLine(m.w, &m.glyphs).Fill(m.theme.Frame, m.glyphs.H, m.w).Finish()}
	if spare := end - 2 - len(d.Lines); spare > 1 {
		out = append(out, term.Blanks(1, m.w)...)
	}
	out = append(out, d.All(&m.scene().Screen, m.w, 3)...)
	copy(screen[1:end], append(out, term.Blanks(m.h, m.w)...))
}

func (m *Model) emptyDoc() document.Doc {
	h, th := m.opts.Hints, &m.theme
	d := document.Doc{Width: m.w - 6}
	way := func(segs ...term.Seg) { d.AddIndented(8, segs) }
	d.Text(term.Bold, "No session yet. Two ways to get one:")
	d.Blank()
	way(term.S(th.Key, "stdio   "), term.S(term.Plain, "put midwire before the server's command in the client's config"))
	config := h.Config
	if config == "" {
		config = `"command": "midwire", "args": ["--", "node", "build/index.js"]`
	}
	for s := range strings.Lines(config) {
		d.AddIndented(12, []term.Seg{term.S(term.Plain, "          "), term.S(th.JSONString, safe.Line(strings.TrimRight(s, "\r\n")))})
	}
	if h.Config != "" && h.HTTPURL == "" {
		way(term.S(term.Plain, "          "), term.S(th.Key, "y"), term.S(th.Dim, " copies this"))
	}
	d.Blank()
	if h.HTTPURL != "" {
		point := []term.Seg{term.S(th.Key, "http    "), term.S(term.Plain, "point the client at  "), term.S(term.Bold, safe.Line(h.HTTPURL))}
		if m.w >= 76 {
			point = append(point, term.S(th.Key, "   y"), term.S(th.Dim, " copies it"))
		}
		way(point...)
		if h.Upstream != "" {
			way(term.S(term.Plain, "        "), term.S(th.Dim, "which forwards to    "), term.S(term.Plain, safe.Line(h.Upstream)))
		}
	} else {
		way(term.S(th.Key, "http    "), term.S(term.Plain, "run "), term.S(th.JSONString, "midwire http http://localhost:3000/mcp"),
			term.S(term.Plain, " and point the client at the address it prints"))
	}
	d.Blank()
	d.Text(th.Dim, "Nothing happens? Restart the client: most start servers only once.")
	return d
}
