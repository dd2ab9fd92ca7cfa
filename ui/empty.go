package ui

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
)

// drawEmpty fills the screen while there is no recording at all: it says how
// to get one.
func (m *Model) drawEmpty(screen []string) {
	end := m.lay.status.y
	if m.lay.rule.h > 0 {
		end = m.lay.rule.y
	}
	d := m.emptyDoc()
	lines := d.lines
	if spare := end - 2 - len(lines); spare > 1 {
		lines = append([]docLine{{}}, lines...)
	}
	screen[1] = newLine(m.w, &m.sg).fill(m.th.frame, m.sg.h, m.w).finish()
	for y := 2; y < end; y++ {
		l := newLine(m.w, &m.sg)
		if i := y - 2; i < len(lines) {
			lines[i].draw(l.gap(3), &m.th)
		}
		screen[y] = l.finish()
	}
}

func (m *Model) emptyDoc() doc {
	h, th := m.opts.Hints, &m.th
	d := doc{w: m.w - 6}
	way := func(segs ...seg) { d.addIndented(8, segs) }
	d.text(bold, "No session yet. Two ways to get one:")
	d.blank()
	way(seg{th.key, "stdio   "}, seg{plain, "put midwire before the server's command in the client's config"})
	config := h.Config
	if config == "" {
		config = `"command": "midwire", "args": ["--", "node", "build/index.js"]`
	}
	for s := range strings.Lines(config) {
		d.addIndented(12, []seg{{plain, "          "}, {th.jsonString, safe.Line(strings.TrimRight(s, "\r\n"))}})
	}
	if h.Config != "" && h.HTTPURL == "" {
		way(seg{plain, "          "}, seg{th.key, "y"}, seg{th.dim, " copies this"})
	}
	d.blank()
	if h.HTTPURL != "" {
		point := []seg{{th.key, "http    "}, {plain, "point the client at  "}, {bold, safe.Line(h.HTTPURL)}}
		if m.w >= 76 {
			point = append(point, seg{th.key, "   y"}, seg{th.dim, " copies it"})
		}
		way(point...)
		if h.Upstream != "" {
			way(seg{plain, "        "}, seg{th.dim, "which forwards to    "}, seg{plain, safe.Line(h.Upstream)})
		}
	} else {
		way(seg{th.key, "http    "}, seg{plain, "run "}, seg{th.jsonString, "midwire http http://localhost:3000/mcp"},
			seg{plain, " and point the client at the address it prints"})
	}
	d.blank()
	d.text(th.dim, "Nothing happens? Restart the client: most start servers only once.")
	return d
}

// frameSummary says in words what a single frame is.
func frameSummary(sc *scene, rec *recording, f *meta, row *session.Row, got loadedFrames, w int) doc {
	d := doc{w: w}
	full := got[uint64(f.N)]
	from, to := sides(f.Dir)
	d.add(seg{bold, safe.Text("Frame #" + itoa(int(f.N)) + ": " + kindText(f.Kind))})
	d.blank()
	if f.Dir != wire.NoDir {
		d.field(sc.th, "way", seg{plain, from + safe.Text(" "+sc.sg.arrow+" ") + to})
	}
	d.field(sc.th, "seen", seg{plain, seconds(f.T - sc.base)}, seg{sc.th.dim, " s"})
	d.field(sc.th, "bytes", seg{plain, number(int(f.Len))})
	if f.X > 0 {
		d.field(sc.th, "carrier", seg{plain, safe.Text("x" + itoa(int(f.X)))})
	}
	if full.Part == wire.Cut {
		d.field(sc.th, "part", seg{sc.th.warn, "its end never came"})
	} else if full.Part == wire.More {
		d.field(sc.th, "part", seg{plain, "the unit goes on in a later frame"})
	}
	if row != nil {
		d.field(sc.th, "message", seg{plain, safe.Text("#"+itoa(int(row.Request))+" ") + safe.Line(rec.t.Name(row.Name))})
		d.field(sc.th, "", seg{sc.th.dim, outcomeText(rec, row)})
	} else {
		d.field(sc.th, "message", seg{sc.th.dim, "none"})
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
