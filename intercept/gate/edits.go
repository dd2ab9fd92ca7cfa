package gate

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// edit changes a unit as an action says.
func (g *Gate) edit(d *deed, a *armed, m *Message) {
	u, do := d.u, &a.Do
	was := u.current()
	switch do.Verb {
	case Set, Remove:
		u.editMember(do, m)
	case SetHeader, RemoveHeader:
		u.editHead(do)
	case Truncate:
		n := do.Count
		if n == 0 || n > len(was) {
			n = len(was) / 2
		}
		u.set(slices.Clone(was[:n]))
	case Garbage:
		text := do.Text
		if text == "" {
			text = "not JSON"
		}
		u.set([]byte(strings.ReplaceAll(text, "\n", " ")))
	case BOM:
		u.set(append([]byte("\xef\xbb\xbf"), was...))
	case TwoOnALine:
		u.set(append(slices.Clone(was), logNotice...))
	case Noise:
		text := do.Text
		if text == "" {
			text = "INFO midwire made this line"
		}
		u.set(append([]byte(text+"\n"), was...))
	case Huge:
		if m.isResponse() {
			u.makeHuge(a)
		} else if m.RPC.Kind == wire.MsgRequest && u.talk != nil {
			key := string(m.Dir) + string(m.RPC.ID)
			c := u.talk.pending[key]
			c.huge = a
			u.talk.pending[key] = c
		}
	}
	if u.changed {
		u.why(a)
	}
}

// logNotice is a message that is none of the server's.
const logNotice = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"midwire","data":"a second message on the line"}}`

func (u *unit) makeHuge(a *armed) {
	if out := enlarge(u.current(), int(a.Do.Bytes)); len(out) > len(u.current()) {
		u.set(out)
		u.why(a)
	}
}

// editMember changes a member of the message that the rule is for.
func (u *unit) editMember(do *Action, m *Message) {
	payload := u.current()
	path := do.Path
	if wire.IsArray(payload) {
		path = append(jsonpath.Path{{Kind: jsonpath.Element, Index: m.Batch}}, path...)
	}
	var out []byte
	ok := false
	if do.Verb == Set {
		out, ok = setMember(payload, path, do.JSON)
	} else {
		out, ok = removeMember(payload, path)
	}
	if ok && !bytes.Equal(out, payload) {
		u.set(out)
	}
}

// editHead changes a field: of the head of an HTTP message, or of an event.
func (u *unit) editHead(do *Action) {
	head := u.currentHead()
	if u.on == Event {
		head = u.eventBlock()
	}
	if len(head) == 0 {
		return
	}
	var out []byte
	switch {
	case do.Verb == RemoveHeader:
		out = dropField(head, do.Name)
	case u.on == Event:
		f := do.Fields[0]
		out = append([]byte(f.Name+": "+f.Value+"\n"), dropField(head, f.Name)...)
	default:
		out = setField(head, do.Fields[0])
	}
	if !bytes.Equal(out, head) {
		u.headNow, u.changed = out, true
	}
}

// why notes the rule that changed the unit, for the recording.
func (u *unit) why(a *armed) { u.rule = a }

// tellEdit records what goes out in the place of what was received.
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
