package gate

import (
	"bytes"
	"unicode/utf8"

	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// edits makes a verb of what changes a unit.
func edits(change func(*unit, *armed, *Message)) func(*Gate, *deed, *armed, *Message) {
	return func(_ *Gate, d *deed, a *armed, m *Message) {
		if change(d.u, a, m); d.u.changed() {
			d.u.rule = a
		}
	}
}

func (u *unit) editMember(a *armed, m *Message) {
	payload := u.current()
	path := a.Do.Path
	if wire.IsArray(payload) {
		path = append(jsonpath.Path{{Kind: jsonpath.Element, Index: m.Batch}}, path...)
	}
	var out []byte
	ok := false
	if a.Do.name == "set" {
		out, ok = setMember(payload, path, a.Do.JSON)
	} else {
		out, ok = removeMember(payload, path)
	}
	if ok && !bytes.Equal(out, payload) {
		u.set(out)
	}
}

// editHead changes a field: of the head of an HTTP message, or of an event.
func (u *unit) editHead(a *armed, _ *Message) {
	head := u.currentHead()
	if u.on == Event {
		head = u.eventBlock()
	}
	if len(head) == 0 {
		return
	}
	var out []byte
	switch {
	case a.Do.name == "remove-header":
		out = dropField(head, a.Do.Text)
	case u.on == Event:
		f := a.Do.Fields[0]
		out = append([]byte(f.Name+": "+f.Value+"\n"), dropField(head, f.Name)...)
	default:
		out = wire.SetField(head, a.Do.Fields[0].Name, a.Do.Fields[0].Value)
	}
	if !bytes.Equal(out, head) {
		u.headNow = out
	}
}

// tellEdit records what goes out instead of what was received.
func (u *unit) tellEdit(by, why string) {
	e := wire.Gate{What: wire.GateEdit, By: by, Why: why}
	if u.rule != nil {
		e.Rule, e.Fault = u.rule.text, u.rule.Preset
	}
	e.Now, e.Head = payloadOf(u.current()), ""
	e.Less, e.More = replaced(u.payload, u.current())
	if u.headNow != nil && u.on != Event {
		e.Head = string(u.headNow)
	}
	if u.on == Body {
		n := len(u.coding.Encode(u.current()))
		e.Head = string(sized(u.currentHead(), n))
	}
	if u.on == Head {
		e.Now = nil
	}
	if u.on == Event && u.headNow != nil {
		e.Head = string(u.headNow)
	}
	u.tell(e)
}

// replaced is how many bytes of a payload are others, and how many stand in their
// place.
func replaced(was, now []byte) (less, more int) {
	from, n := 0, min(len(was), len(now))
	for from < n && was[from] == now[from] {
		from++
	}
	end := 0
	for end < n-from && was[len(was)-1-end] == now[len(now)-1-end] {
		end++
	}
	return len(was) - from - end, len(now) - from - end
}

// payloadOf is a payload as a JSON value: itself, or a string of it.
func payloadOf(p []byte) []byte {
	if wire.Valid(p) && utf8.Valid(p) && !bytes.ContainsAny(p, "\r\n") {
		return p
	}
	return quoted(string(p))
}
