package gating

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"midwire/intercept/gate"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// draft is a message as somebody writes it: a held one, or a reply to one. Nothing of
// it is sent before it is released.
type draft struct {
	own     bool // nobody sent it: a reply
	whole   bool // all of the message is there
	json    bool // it was JSON, laid out in lines, and has to remain that
	edited  bool // at the gate, by whoever
	payload string
	body    *editor
}

func newDraft(h *gate.Held) *draft {
	d := &draft{whole: !h.Cut, payload: h.Payload, edited: h.Edited, body: newEditor(h.Payload)}
	if text, ok := wire.Indent([]byte(h.Payload), ""); ok {
		d.json, d.body = true, newEditor(string(text))
	} else if h.Payload == "" { // its head is there to be read
		d.body = newEditor(strings.ReplaceAll(strings.TrimRight(h.Head, "\r\n"), "\r\n", "\n"))
	}
	return d
}

// toArgument puts the cursor behind the first argument of a call, which is what most
// people edit.
func (e *editor) toArgument() {
	for i, line := range e.lines[:len(e.lines)-1] {
		if next := e.lines[i+1]; strings.TrimSpace(line) == `"arguments": {` && !e.changed() {
			end := strings.TrimSuffix(strings.TrimSuffix(next, ","), `"`)
			e.row, e.col = i+1, len(end)
			return
		}
	}
}

func newOwn(sample string) *draft {
	return &draft{own: true, whole: true, json: true, body: newEditor(sample)}
}

// changed says whether there is something to send that is not at the gate yet.
func (d *draft) changed() bool { return d.body.changed() }

// closed says why it cannot be written here, "" when it can.
func (d *draft) closed() safe.Text {
	switch {
	case !d.whole:
		return "the rest of it is on its way"
	case !d.own && d.payload == "":
		return "it has no body"
	case !utf8.ValidString(d.payload):
		return "it has bytes that are no text: midwire gate edit takes any"
	}
	return ""
}

// bytes is the payload as it would go on: as it came, or, once it was changed, JSON
// without blanks.
func (d *draft) bytes() string {
	if !d.own && !d.body.changed() {
		return d.payload
	}
	return packed(d.body.text())
}

// packed is JSON without blanks; what is none stays as it is.
func packed(text string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return text
	}
	return out.String()
}

// fault says where the payload is no JSON, "" when it is, or was none.
func (d *draft) fault() safe.Text {
	if !d.json || !d.own && !d.body.changed() {
		return ""
	}
	var v json.RawMessage
	text := d.body.text()
	err := json.Unmarshal([]byte(text), &v)
	if err == nil {
		return ""
	}
	where := ""
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		before := text[:max(0, min(int(bad.Offset)-1, len(text)))]
		where = "line " + string(safe.Int(strings.Count(before, "\n")+1)) + ": "
	}
	return safe.Line(where + err.Error())
}

// orders is what releases the message as it is written.
func (d *draft) orders(id int) (out []gate.Order) {
	if d.body.changed() {
		out = append(out, gate.Order{Do: "edit", ID: id, Body: d.bytes()})
	}
	return append(out, gate.Order{Do: "release", ID: id})
}

// size says how long it will be, and was.
func (d *draft) size() (now, was safe.Text) {
	now = term.Number(len(d.bytes())) + " B"
	if d.body.changed() {
		was = term.Number(len(d.payload)) + " B"
	}
	return now, was
}
