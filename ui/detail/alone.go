package detail

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// alonePart names what there is of a row without a response.
func (m *Message) alonePart() safe.Text {
	switch m.Row.Kind {
	case session.RowNotification:
		return "Notification"
	case session.RowResponse:
		return "Response"
	case session.RowStderr:
		return "Standard error"
	case session.RowNoise:
		return "Not JSON-RPC"
	case session.RowProcess:
		return "Process"
	}
	return "Recorded"
}

// alone is all that there is of a row without a response, as parts.
func (m *Message) alone(sc *library.Scene, w int) []document.Part {
	return []document.Part{m.part(sc, m.alonePart(), m.Row.Request, w)}
}

const (
	eventScan = 4096 // rows behind a message that are looked at for what belongs to it
	maxEvents = 50
)

// events adds what came between request and response: notifications, requests of
// the server, one in a line, from which one goes there.
func (m *Message) events(d *document.Doc, sc *library.Scene) {
	rec, n := m.Rec, 0
	rows, of := rec.Tracker.Rows(), "of #"+string(safe.Int(m.Row.Request))+" "
	for i := m.ID + 1; i < min(rows, m.ID+eventScan); i++ {
		row := rec.Tracker.Row(i)
		if m.Row.End > 0 && row.T > m.Row.End {
			break
		}
		if row.Parent < 0 || rec.Root(i) != m.ID {
			continue
		}
		if n++; n == 1 {
			label(d, sc, "MEANWHILE")
		}
		if n > maxEvents {
			break
		}
		arrow, st := sc.Direction(row)
		t := rec.Texts.Of(i)
		words := safe.Line(library.ShortMethod(row, rec.Tracker.Name(row.Name)))
		after, target := "+"+term.Duration(row.T-m.Row.T), safe.Line(strings.TrimPrefix(t.Target, of))
		d.AddTo(uint64(row.Request),
			term.S(sc.Theme.Key, padLeft("#"+safe.Int(int(row.Request)), 8)),
			term.S(sc.Theme.Dim, padLeft(after, 9)+"  "), term.S(st, arrow+" "), term.S(term.Bold, words),
			term.S(term.Plain, " "+target), term.S(sc.Theme.Dim, "  "+safe.Line(t.Result)))
	}
	if rest := int(m.Row.Count) - min(n, maxEvents); rest > 0 {
		if n == 0 {
			label(d, sc, "MEANWHILE")
		}
		d.Text(sc.Theme.Dim, "  "+sc.Glyphs.Ellipsis+" "+term.Number(rest)+" more; f shows all of them")
	}
}
