package gating

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"midwire/intercept/gate"
	"midwire/session/jsonpath"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// draft is a message as somebody writes it: a held one, or one of their own. Nothing of
// it is sent before it is released.
type draft struct {
	own     bool // nobody sent it: a reply, or what is injected
	whole   bool // all of the message is there
	json    bool // it was JSON, laid out in lines, and has to remain that
	edited  bool // at the gate, by whoever
	payload string
	body    *editor
	head    *editor // nil where there is none
	onHead  bool    // the head is shown
}

func newDraft(h *gate.Held) *draft {
	d := &draft{whole: !h.Cut, payload: h.Payload, edited: h.Edited, body: newEditor(h.Payload)}
	if text, ok := wire.Indent([]byte(h.Payload), ""); ok {
		d.json, d.body = true, newEditor(string(text))
	}
	if h.Head != "" {
		lines := strings.ReplaceAll(strings.TrimRight(h.Head, "\r\n"), "\r\n", "\n")
		d.head, d.onHead = newEditor(lines), h.Payload == ""
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

func (d *draft) now() *editor {
	if d.onHead {
		return d.head
	}
	return d.body
}

// changed says whether there is something to send that is not at the gate yet.
func (d *draft) changed() bool {
	return d.body.changed() || d.head != nil && d.head.changed()
}

// closed says why it cannot be written here, "" when it can.
func (d *draft) closed() safe.Text {
	switch {
	case !d.whole:
		return "the rest of it is on its way"
	case !utf8.ValidString(d.payload):
		return "it has bytes that are no text: midwire gate edit takes any"
	}
	return ""
}

// bytes is the payload as it would go on: with the bytes that it came with around what
// was changed, or, where members came or went, JSON without blanks.
func (d *draft) bytes() string {
	if !d.own && !d.body.changed() {
		return d.payload
	}
	text := packed(d.body.text())
	if d.own || len(d.payload) > 1<<20 || packed(d.payload) == d.payload {
		return text
	}
	kept := []byte(d.payload)
	changes, _ := d.changes(len(text))
	for _, c := range changes {
		path, err := jsonpath.Parse(c.path)
		if from, to, ok := path.Find(kept); ok && err == nil {
			kept = slices.Concat(kept[:from], []byte(c.now), kept[to:])
		}
	}
	if packed(string(kept)) == text {
		return string(kept)
	}
	return text
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
	if d.head != nil && d.head.changed() {
		head := strings.ReplaceAll(d.head.text(), "\n", "\r\n") + "\r\n\r\n"
		out = append(out, gate.Order{Do: "edit", ID: id, Body: head, Head: true})
	}
	return append(out, gate.Order{Do: "release", ID: id})
}

// change is a value that is another than it was; "" for one that is not there.
type change struct{ path, was, now string }

// changes are those of the payload, at most so many of all.
func (d *draft) changes(most int) (out []change, all int) {
	if !d.json || !d.body.changed() || d.fault() != "" || len(d.payload) > 1<<20 {
		return nil, 0
	}
	leaves := func(text string) (order []string, of map[string]string) {
		of = map[string]string{}
		jsonpath.Leaves([]byte(packed(text)), nil, func(p jsonpath.Path, v []byte) bool {
			at := p.String()
			if _, twice := of[at]; !twice {
				order = append(order, at)
			}
			of[at] = string(v)
			return true
		})
		return order, of
	}
	before, was := leaves(d.payload)
	after, now := leaves(d.body.text())
	for _, at := range after {
		if v, there := was[at]; !there || v != now[at] {
			out = append(out, change{at, v, now[at]})
		}
	}
	for _, at := range before {
		if _, there := now[at]; !there {
			out = append(out, change{at, was[at], ""})
		}
	}
	return out[:min(most, len(out))], len(out)
}

// size says how long it will be, and was.
func (d *draft) size() (now, was safe.Text) {
	now = term.Number(len(d.bytes())) + " B"
	if d.body.changed() {
		was = term.Number(len(d.payload)) + " B"
	}
	return now, was
}
