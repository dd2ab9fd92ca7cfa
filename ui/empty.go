package ui

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// drawEmpty fills the screen while there is no recording at all: it says how
// to get one.
func (m *Model) drawEmpty(screen []string) {
	end := m.layout.status.Y
	if m.layout.rule.H > 0 {
		end = m.layout.rule.Y
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

// frameSummary says in words what a single frame is.
func frameSummary(sc *library.Scene, rec *library.Recording, f *library.FrameInfo,
	row *session.Row, got detail.Frames, w int,
) document.Doc {
	d := document.Doc{Width: w}
	full := got[uint64(f.N)]
	from, to := detail.Sides(f.Dir)
	d.Add(term.S(term.Bold, "Frame #"+safe.Int(f.N)+": "+safe.Line(kindText(f.Kind))))
	d.Blank()
	if f.Dir != wire.NoDir {
		d.Field(sc.Theme, "direction", term.S(term.Plain, from+" "+sc.Glyphs.Arrow+" "+to))
	}
	d.Field(sc.Theme, "seen", term.S(term.Plain, term.Seconds(f.T-sc.Base)), term.S(sc.Theme.Dim, " s"))
	d.Field(sc.Theme, "bytes", term.S(term.Plain, term.Number(int(f.Len))))
	if f.X > 0 {
		d.Field(sc.Theme, "request", term.S(term.Plain, "x"+safe.Int(f.X)))
	}
	if full.Part == wire.Cut {
		d.Field(sc.Theme, "part", term.S(sc.Theme.Warn, "its end never came"))
	} else if full.Part == wire.More {
		d.Field(sc.Theme, "part", term.S(term.Plain, "the unit goes on in a later frame"))
	}
	if row != nil {
		d.Field(sc.Theme, "message", term.S(term.Plain, "#"+safe.Int(row.Request)+" "+safe.Line(rec.Tracker.Name(row.Name))))
		d.Field(sc.Theme, "", term.S(sc.Theme.Dim, detail.OutcomeText(rec, row)))
	} else {
		d.Field(sc.Theme, "message", term.S(sc.Theme.Dim, "none"))
	}
	return d
}

func kindText(k wire.Kind) string {
	switch k {
	case wire.KindStart:
		return "the server process was started"
	case wire.KindExit:
		return "the server process ended"
	case wire.KindLine:
		return "one line of the stdio transport"
	case wire.KindStderr:
		return "one line on the server's standard error"
	case wire.KindOpen:
		return "a client connected"
	case wire.KindRequest:
		return "the head of an HTTP request"
	case wire.KindResponse:
		return "the head of an HTTP response"
	case wire.KindBody:
		return "the body of an HTTP message"
	case wire.KindEvent:
		return "one server-sent event"
	case wire.KindTrailer:
		return "HTTP trailers"
	case wire.KindRaw:
		return "bytes that could not be framed"
	case wire.KindClose:
		return "a stream or a connection ended"
	case wire.KindEdit:
		return "midwire changed something on the way"
	case wire.KindGate:
		return "somebody intervened"
	case wire.KindGap:
		return "something was not recorded"
	case wire.KindNote:
		return "a fact about the tap"
	case wire.KindEnd:
		return "the recording was finished properly"
	}
	return "a kind this version does not know"
}
