package detail

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Tab is one of the tabs of the detail pane.
type Tab uint8

const (
	TabSummary Tab = iota
	TabHeaders
	TabRaw
	TabCount
)

// Words says whether a tab has words of ours and no bytes of a message.
func (t Tab) Words() bool { return t == TabSummary }

// TabNames are the names of the tabs.
var TabNames = [TabCount]safe.Text{"Body", "Headers", "Raw"}

// Shown identifies what the detail pane shows, and in which state.
type Shown struct {
	Rec      *library.Recording
	ID       uint32
	Tab      Tab
	Width    int
	Live     bool
	Look     int // changes with the theme
	Version  RowVersion
	Complete bool // every frame was at hand
	Card     bool // in a few lines that do not scroll
	Page     bool // on a screen of its own, request and response beside each other
}

// RowVersion changes when a row does.
type RowVersion struct {
	Response uint32
	Count    uint16
	Ending   session.Ending
	End      int64
	Status   uint16
	Client   string
	ID       string
	Leg      library.Leg // where it is on the other side of a hub
	Age      int         // of what is pending, in seconds
	Notes    int         // the stamp of the notes, likewise
	Findings int         // the stamp of the findings, of a tab that shows them
}

// Wanted lists the frames a tab needs.
func Wanted(rec *library.Recording, row *session.Row, t Tab) []uint64 {
	h := rec.Heads[row.X]
	req, resp := uint64(row.Request), uint64(row.Response)
	respHeads := h
	if m := rec.Frame(resp); m != nil {
		respHeads = rec.Heads[m.X]
	}
	switch t {
	case TabHeaders:
		return CompactNumbers(h.Req, h.Resp, respHeads.Req, respHeads.Resp)
	}
	return CompactNumbers(h.Req, req, respHeads.Resp, h.Resp, resp)
}

// requestHead is the head that a row's request came with: an answer of the
// client travels in a request too, and a request of the server in a response.
func requestHead(row *session.Row, h library.Heads) uint64 {
	if row.Dir == wire.ToClient {
		return h.Resp
	}
	return h.Req
}

func responseHead(row *session.Row, h, answer library.Heads) uint64 {
	if row.Dir == wire.ToClient {
		return answer.Req
	}
	if answer.Resp == 0 {
		return h.Resp
	}
	return answer.Resp
}

// CompactNumbers drops zeros and repetitions.
func CompactNumbers(ns ...uint64) []uint64 {
	var out []uint64
next:
	for _, n := range ns {
		for _, o := range out {
			if n == o {
				continue next
			}
		}
		if n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Parts arranges the frames of a row for a tab other than the summary.
func Parts(rec *library.Recording, row *session.Row, t Tab, got Frames) []document.Part {
	numbers := Wanted(rec, row, t)
	var out []document.Part
	for _, n := range numbers {
		f := got[n]
		out = append(out, document.Part{Title: RawTitle(&f), Data: f.Data, Head: t == TabHeaders})
	}
	if len(out) > 0 || t == TabRaw {
		return out
	}
	return []document.Part{{Absent: absentText(rec, row, t)}}
}

// absentText says why a tab has no bytes.
func absentText(rec *library.Recording, row *session.Row, t Tab) safe.Text {
	switch {
	case t == TabHeaders && row.Conn == 0:
		return "There are no HTTP headers: stdio has none."
	case t == TabHeaders:
		return "No HTTP head of this is in the recording."
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		return "No response is expected to this."
	case row.Ending.Open() && rec.Live:
		return "No response yet."
	}
	return "There is no response."
}

// RawTitle names a frame above its bytes.
func RawTitle(f *wire.Frame) safe.Text {
	t := "#" + safe.Int(f.N) + " " + safe.Line(f.Kind.String()) + ", " + term.Size(int64(f.Len)) + " bytes"
	if f.Len < 1000 {
		t = "#" + safe.Int(f.N) + " " + safe.Line(f.Kind.String()) + ", " + safe.Int(f.Len) + " bytes"
	}
	switch f.EOL {
	case "\r\n":
		t += ", ends in CR LF"
	case "":
		if f.Kind == wire.KindLine || f.Kind == wire.KindStderr {
			t += ", no line end"
		}
	}
	if f.Masked {
		t += ", secrets masked"
	}
	return t
}

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
		d.Text(sc.Theme.Dim, "  "+sc.Glyphs.Ellipsis+" "+term.Number(rest)+" more")
	}
}
