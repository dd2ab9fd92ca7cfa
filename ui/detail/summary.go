package detail

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Frames are the frames of a row that are at hand, by number.
type Frames map[uint64]wire.Frame

const previewBytes = 4 << 10 // of a line of text in a result

// Summary says what was asked and what came back, in the order in which one asks:
// outcome, finding, arguments, result. The JSON of both follows in parts.
func (m *Message) Summary(sc *library.Scene, w int) (document.Doc, []document.Part) {
	d := document.Doc{Width: w}
	m.travelled(&d, sc)
	m.Verdict(&d, sc)
	m.beside(&d, sc)
	if m.Row.Parent >= 0 {
		p := m.Rec.Tracker.Row(int(m.Row.Parent))
		d.AddTo(uint64(p.Request), term.S(sc.Theme.Dim, "belongs to "), term.S(sc.Theme.Key, "#"+safe.Int(p.Request)),
			term.S(sc.Theme.Dim, " "+safe.Line(m.Rec.Tracker.Name(p.Name))))
	}
	d.Blank()
	n := len(d.Lines)
	path := m.writeArguments(&d, sc)
	shown := m.writeResult(&d, sc)
	m.events(&d, sc)
	if len(d.Lines) == n {
		d.Lines = d.Lines[:n-1]
	}
	if m.OneSided() {
		ps := m.alone(sc, w)
		if path != nil {
			ps[0].Shown = [][]string{path}
		}
		return d, ps
	}
	request := m.part(sc, "Request", m.Row.Request, w)
	if path != nil {
		request.Shown = [][]string{path}
	}
	ps := []document.Part{request}
	if m.Row.Response > 0 && m.Row.Response != m.Row.Request {
		ps = append(ps, m.responsePart(sc, shown, w))
	}
	return d, ps
}

// part is the JSON of a frame under a line with its name.
func (m *Message) part(sc *library.Scene, name safe.Text, n uint32, w int) document.Part {
	size := amount(0)
	if f := m.Rec.Frame(uint64(n)); f != nil {
		size = amount(int64(f.Len))
	}
	head := []term.Seg{term.S(sc.Theme.Frame, sc.Glyphs.H+" "), term.S(term.Plain, name+"  "), term.S(sc.Theme.Dim, size+" ")}
	rest := max(min(w, 300)-term.SegsWidth(head), 0)
	head = append(head, term.S(sc.Theme.Frame, safe.Repeat(sc.Glyphs.H, rest)))
	return document.Part{Lines: []document.Line{{Segs: head}}, Pretty: true, Data: m.payload(n)}
}

func (m *Message) responsePart(sc *library.Scene, shown [][]string, w int) document.Part {
	p := m.part(sc, "Response", m.Row.Response, w)
	p.Shown = shown
	switch {
	case m.said.Kind == wire.MsgError:
		p.Failing = []string{"error", "message"}
	case m.Row.Ending.Bad():
		p.Failing = []string{"result", "isError"}
	}
	return p
}

// answer returns the message that answered a row; its Kind is MsgInvalid when
// there is none at hand.
func answer(rec *library.Recording, row *session.Row, got Frames) wire.Message {
	return message(rec, got[uint64(row.Response)], row.RBatch)
}

func message(rec *library.Recording, f wire.Frame, pos uint16) (out wire.Message) {
	if f.Data == nil || !f.HoldsMessages() {
		return out
	}
	wire.ScanMessages(rec.Tracker.Payload(&f), func(i int, m wire.Message) bool {
		if i == int(pos) {
			out = m
		}
		return i < int(pos)
	})
	return out
}

// OutcomeText says in a sentence what came of a row.
func OutcomeText(rec *library.Recording, row *session.Row) safe.Text {
	asker, other := Sides(row.Dir)
	switch row.Kind {
	case session.RowNotification:
		return "A notification of the " + asker + ": no response is expected."
	case session.RowResponse:
		return "A response of the " + asker + " to no request that was seen."
	case session.RowNoise:
		return "The " + asker + " sent something that is not JSON-RPC."
	case session.RowStderr:
		return "A line on the server's standard error: not part of the protocol."
	case session.RowProcess:
		return processText(rec, row)
	case session.RowTap:
		return "midwire noted this itself: it was not on the wire."
	}
	if text := gateText(rec, row, asker, other); text != "" {
		return text
	}
	switch e := row.Ending; {
	case e.Open() && rec.Live:
		return "The " + other + " has not responded yet."
	case e.Open():
		return "The " + other + " did not respond before the recording ended."
	case e == session.Served:
		return "The " + other + " responded after " + term.Duration(row.Latency()) + waitedText(rec, row) + "."
	case e.IsError():
		return errorText(row, other)
	case e.GaveUp():
		return "The " + asker + " cancelled it."
	case e.Lost():
		return "The connection ended before the " + other + " responded."
	}
	return "A request of the " + asker + "."
}

// waitedText says how much of the latency of a call is the gate's doing.
func waitedText(rec *library.Recording, row *session.Row) safe.Text {
	if ns := rec.Tracker.Waited(row); ns > 0 {
		return ", of which it waited " + term.Duration(ns) + " at the gate"
	}
	return ""
}

// gateText is the sentence about a message that the gate kept from its receiver, or
// answered, or whose response did not get through; "" for others.
func gateText(rec *library.Recording, row *session.Row, asker, other safe.Text) safe.Text {
	t := rec.Tracker
	switch t.Fate(row, row.Dir) {
	case wire.GateHold:
		if rec.Live {
			return "The gate holds it: the " + other + " has not got it yet."
		}
		return "The gate held it until the end: the " + other + " never got it."
	case wire.GateDrop:
		return "The gate dropped it: the " + other + " never got it."
	case wire.GateAnswer:
		return "The gate answered it after " + term.Duration(row.Latency()) + ": the " + other + " never got it."
	}
	switch fate := t.Fate(row, row.Dir.Opposite()); {
	case row.Response == 0:
	case fate == wire.GateDrop:
		return "The " + other + " responded after " + term.Duration(row.Latency()) + ", and the gate dropped that: the " + asker + " never got it."
	case fate == wire.GateHold && rec.Live:
		return "The " + other + " responded after " + term.Duration(row.Latency()) + ". The gate holds that."
	}
	return ""
}

// processText says what became of the server process, or of what leads to it.
func processText(rec *library.Recording, row *session.Row) safe.Text {
	switch name := rec.Tracker.Name(row.Name); {
	case name == "start" && row.Ending.IsError():
		return "The server process could not be started."
	case name == "start":
		return "The server process was started."
	case name == "exit" && row.Code == 0:
		return "The server process ended."
	case name == "exit":
		return "The server process ended with code " + safe.Int(int(row.Code)) + "."
	case name == "connect":
		return "The server could not be reached."
	case name == "stdin closed":
		return "The client closed the server's standard input."
	case name == "stdout closed":
		return "The server closed its standard output."
	}
	return "This is about the server process."
}

func errorText(row *session.Row, other safe.Text) safe.Text {
	switch {
	case row.Code != 0:
		return "The " + other + " responded with error " + safe.Int(int(row.Code)) + codeName(row.Code) + "."
	case row.Status >= 400:
		return "The " + other + " responded with HTTP status " + safe.Int(int(row.Status)) + "."
	}
	return "The " + other + " reported a failure."
}

// codeName is what JSON-RPC calls an error code, as it follows the number.
func codeName(code int32) safe.Text {
	if name := mcp.CodeName(int(code)); name != "" {
		return " (" + safe.Line(name) + ")"
	}
	return ""
}

// Sides are the sender and the receiver of a direction.
func Sides(d wire.Dir) (sender, receiver safe.Text) {
	if d == wire.ToServer {
		return "client", "server"
	}
	return "server", "client"
}

// PeerOr names a peer, or says word when it has no name.
func PeerOr(p session.Peer, word safe.Text) safe.Text {
	if p.Name == "" && p.Title == "" {
		return word
	}
	return word + " " + library.PeerText(p)
}

// WriteRemark says in the summary what the user wrote about a row.
func WriteRemark(d *document.Doc, sc *library.Scene, rec *library.Recording, i int) {
	if text := rec.Comment(i); text != "" {
		d.Field(sc.Theme, "comment", term.S(sc.Theme.Note, safe.Line(text)))
	}
}
