package detail

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// maxRead is how much of a payload is read for its words; of a longer one those
// say enough that are in memory.
const maxRead = 1 << 20

// Message is a row with what is at hand of it.
type Message struct {
	Rec *library.Recording
	ID  int
	Row *session.Row
	Got Frames
	Leg library.Leg // where it is on the other side of a hub
	// What was said, where it is at hand and not too long.
	asked, said wire.Message
}

// MessageOf reads what is at hand of a row.
func MessageOf(rec *library.Recording, id int, got Frames) *Message {
	m := &Message{Rec: rec, ID: id, Row: rec.Tracker.Row(id), Got: got}
	if f := got[uint64(m.Row.Request)]; len(f.Data) <= maxRead {
		m.asked = message(rec, f, m.Row.Batch)
	}
	if f := got[uint64(m.Row.Response)]; len(f.Data) <= maxRead {
		m.said = answer(rec, m.Row, got)
	}
	return m
}

// payload is the JSON of a frame of the message, nil when it is not at hand.
func (m *Message) payload(n uint32) []byte {
	f, ok := m.Got[uint64(n)]
	if !ok || n == 0 {
		return nil
	}
	if !f.HoldsMessages() {
		return f.Data
	}
	return m.Rec.Tracker.Payload(&f)
}

// arguments are what was asked for: those of a call, else all parameters.
func (m *Message) arguments() (raw []byte, path []string) {
	if args := wire.Get(m.asked.Params, "arguments"); args != nil {
		return args, []string{"params", "arguments"}
	}
	return m.asked.Params, []string{"params"}
}

// Outcome adds what came of a message: in its own words first, then in ours.
func (m *Message) Outcome(d *document.Doc, sc *library.Scene) {
	sign, st := sc.Ending(m.Row)
	if sign == "" {
		sign, st = sc.Glyphs.Dot, sc.Theme.Dim
	}
	words := term.Plain
	if m.Row.Ending.Bad() {
		words = sc.Theme.Err + term.Bold
	}
	text := m.outcomeWords(sc)
	said := OutcomeText(m.Rec, m.Row)
	if m.Row.Status > 0 && m.Row.Code == 0 && m.Row.Status < 400 && m.Row.Response > 0 {
		said = said[:len(said)-1] + ", HTTP " + safe.Int(int(m.Row.Status)) + "."
	}
	if text == "" {
		d.Add(term.S(st, sign+" "), term.S(term.Bold, said))
		return
	}
	d.Add(term.S(st, sign+" "), term.S(words, text))
	d.Add(term.S(sc.Theme.Dim, said))
}

// outcomeWords is what came back in a line, "" when nothing did.
func (m *Message) outcomeWords(sc *library.Scene) safe.Text {
	row := m.Row
	switch {
	case row.Kind == session.RowNotification:
		return ""
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		t := m.Rec.Texts.Of(m.ID)
		return safe.Line(strings.TrimSpace(t.Target + "  " + t.Result))
	case row.Ending.Open() && m.Rec.Live:
		return "in progress for " + term.Duration(library.Elapsed(sc.Now, m.Rec, row.T))
	case m.said.Kind == wire.MsgError:
		return safe.Int(int(row.Code)) + " " + safe.Line(document.Readable(wire.Text(wire.Get(m.said.Error, "message"))))
	}
	return safe.Line(document.Readable(m.Rec.Texts.Of(m.ID).Result))
}

// transport is where a message travelled, in a line of so many cells: what there is no
// room for stands in the tab of times.
func (m *Message) transport(sc *library.Scene, room int) term.Seg {
	row := m.Row
	text := safe.Text("stdio")
	if row.Conn > 0 {
		text = "http"
		if row.Status > 0 {
			text += " " + safe.Int(int(row.Status))
		}
	}
	size := amount(int64(row.Len))
	if row.Response > 0 {
		size += " " + sc.Glyphs.Arrow + " " + amount(int64(row.RLen))
	}
	parts := []safe.Text{size, m.numbers()}
	if id := m.Rec.Tracker.Name(row.ID); id != "" {
		parts = append(parts, "id "+safe.Line(id))
	}
	parts = append(parts, safe.Time(m.Rec.Started.Add(time.Duration(row.T)).Local(), "15:04:05.000"))
	if row.Conn > 0 {
		parts = append(parts, "connection "+safe.Int(int(row.Conn))+", request "+safe.Int(int(row.X)))
	}
	if row.First > 0 && row.First < row.End && row.Kind == session.RowCall {
		parts = append(parts, "first byte after "+term.Duration(row.First-row.T))
	}
	for _, part := range parts {
		if longer := text + " " + sc.Glyphs.Dot + " " + part; term.Width(longer) <= room {
			text = longer
		}
	}
	return term.S(sc.Theme.Dim, text)
}

func (m *Message) numbers() safe.Text {
	text := "#" + safe.Int(int(m.Row.Request))
	if m.Row.Response > 0 {
		text += "–#" + safe.Int(int(m.Row.Response))
	}
	return text
}

// amount is a number of bytes with its unit.
func amount(n int64) safe.Text {
	if n < 1000 {
		return term.Size(n) + " B"
	}
	return term.Size(n) + "B"
}

// Reading says that bytes are being read, when that may take a while.
func Reading(th *term.Theme, rec *library.Recording, ns []uint64) (d document.Doc) {
	n := int64(0)
	for _, one := range ns {
		if f := rec.Frame(one); f != nil {
			n += int64(f.Len)
		}
	}
	if n > 1<<20 {
		d.Text(th.Dim, "reading "+term.Size(n)+" …")
	}
	return d
}
