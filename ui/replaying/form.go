package replaying

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/diagnose/schema"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/term"
)

// Written is what was written of an argument of a call: a text, which the schema of the
// tool makes a value, or JSON.
type Written struct {
	Name, Text string
	JSON       bool
}

// maxFields is how many arguments a form has at most; its schema is the peer's.
const maxFields = 64

// form is the arguments of a tool as they are written. The schema says which there are.
type form struct {
	request Request
	schema  []byte
	fields  []field // what is required first
	at, top int     // the chosen field, the first one that is seen
	rows    int     // how many are seen
	trouble []string
	checked bool // what the schema has against it was shown: enter sends it all the same
	cursor  int  // column of the cursor
}

type field struct {
	name     string
	kind     safe.Text // its type
	about    safe.Text
	required bool
	choices  []string // its values as JSON, "" for none; nil where it is written
	in       term.Input
}

// Compose asks for the arguments of a tool by its inputSchema, and then whether to call it as
// the request says.
func (p *Replays) Compose(q Request, schema []byte) tea.Cmd {
	p.form = &form{request: q, schema: schema, fields: fieldsOf(schema)}
	p.open(askForm)
	p.form.choose(0)
	return nil
}

func fieldsOf(raw []byte) (out []field) {
	of := schema.Read(raw)
	required := of.Required()
	for _, name := range of.Members() {
		if len(out) == maxFields {
			break
		}
		v, _ := of.Member(name)
		f := field{name: name, required: slices.Contains(required, name), in: term.NewInput(64 << 10)}
		f.kind, f.about = kindOf(v), safe.Line(v.About())
		choices := v.Choices()
		for _, one := range choices[:min(len(choices), maxChoices)] {
			f.choices = append(f.choices, string(replay.Encode(one)))
		}
		if f.choices == nil && f.kind == "boolean" {
			f.choices = []string{"true", "false"}
		}
		usual := v.Default()
		if f.choices != nil && (!f.required || usual == nil) {
			f.choices = append([]string{""}, f.choices...)
		}
		switch {
		case usual == nil:
		case usual[0] == '"' && f.choices == nil:
			f.in.Write(wire.Text(usual))
		default:
			f.in.Write(string(usual))
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b field) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	return out
}

// maxChoices is how many values of an argument are offered.
const maxChoices = 200

// kindOf is the type that a schema says, "any" where it says none.
func kindOf(of schema.Place) safe.Text {
	switch types := of.Types(); {
	case of.Choices() != nil:
		return "choice"
	case types == nil:
		return "any"
	default:
		return safe.Line(strings.Join(types, " or "))
	}
}

// choose makes a field the one that is written.
func (f *form) choose(i int) {
	if len(f.fields) == 0 {
		return
	}
	f.fields[f.at].in.Blur()
	f.at = (i + len(f.fields)) % len(f.fields)
	f.fields[f.at].in.Focus()
	f.fields[f.at].in.CursorEnd()
}

// turn takes the next value of a choice.
func (f *field) turn(by int) {
	i := slices.Index(f.choices, f.in.Value())
	if n := len(f.choices); i < 0 {
		f.in.Write(f.choices[0])
	} else {
		f.in.Write(f.choices[(i+by+n)%n])
	}
}

// written is what the fields say; those that are empty are left out.
func (f *form) written() (out []Written) {
	for i := range f.fields {
		one := &f.fields[i]
		text := one.in.Value()
		if text == "" {
			continue
		}
		out = append(out, Written{one.name, text, one.choices != nil || text == `""`})
	}
	return out
}

func (p *Replays) formKey(msg tea.Msg) tea.Cmd {
	f := p.form
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	switch name {
	case "esc":
		p.h.Do(Dialog{false})
		return nil
	case "enter", "ctrl+s":
		return p.submit()
	case "tab", "down":
		f.choose(f.at + 1)
		return nil
	case "shift+tab", "up":
		f.choose(f.at - 1)
		return nil
	}
	if len(f.fields) == 0 {
		return nil
	}
	f.trouble, f.checked = nil, false
	one := &f.fields[f.at]
	if one.choices == nil {
		return one.in.Take(msg)
	}
	switch name {
	case "right", "space":
		one.turn(1)
	case "left":
		one.turn(-1)
	case "backspace", "delete":
		one.in.Write("")
	}
	return nil
}

// submit asks whether to call the tool, if its schema has nothing against the arguments, or
// was told so before.
func (p *Replays) submit() tea.Cmd {
	f := p.form
	arguments, faults, err := p.by.Arguments(f.schema, f.written())
	switch {
	case err != nil:
		f.trouble, f.checked = []string{err.Error()}, false
		return nil
	case len(faults) > 0 && !f.checked:
		f.trouble, f.checked = faults, true
		return nil
	}
	q := f.request
	q.Params = arguments
	return p.Ask(q)
}

// formLines are the fields, what is wrong with them, and the keys.
func (p *Replays) formLines() []string {
	sc, f := p.h.Scene(), p.form
	w, names := p.promptWidth(), 0
	for i := range f.fields {
		names = min(max(names, term.Width(safe.Line(f.fields[i].name))+2), w/3)
	}
	d := document.Doc{Width: w - 2}
	if len(f.fields) == 0 {
		d.Text(sc.Theme.Dim, "It takes no arguments.")
	} else if about := f.fields[f.at].about; about != "" {
		d.Text(sc.Theme.Dim, about)
	}
	for _, t := range f.trouble {
		d.Text(sc.Theme.Err, sc.Glyphs.Err+" "+safe.Line(t))
	}
	_, h := p.size()
	notes := d.All(&sc.Screen, w, 1)
	notes = notes[:min(len(notes), max(h/3, 1))]
	f.rows = max(min(len(f.fields), h-5-len(notes)), 0)
	f.top = term.Reveal(f.top, f.at, f.rows, len(f.fields))
	var out []string
	for i := f.top; i < min(f.top+f.rows, len(f.fields)); i++ {
		out = append(out, f.line(i, &sc.Screen, w, names))
	}
	send := safe.Text("send")
	if f.checked {
		send = "send it all the same"
	}
	keys := term.NewLine(w, sc.Glyphs).Hint(sc.Theme, "enter", send)
	if len(f.fields) > 0 {
		keys.Hint(sc.Theme, "tab", "next").Hint(sc.Theme, "esc", "cancel")
		if f.fields[f.at].choices != nil {
			keys.Hint(sc.Theme, "space", "another")
		}
	}
	return append(append(out, notes...), keys.Finish())
}

func (f *form) line(i int, sc *term.Screen, w, names int) string {
	one, th := &f.fields[i], sc.Theme
	l := sc.Row(w, i == f.at, true)
	name := safe.Line(one.name)
	if one.required {
		name += "*"
	}
	l.Cell(th.Title, name, names)
	l.Gap(1)
	room := max(w-l.Used-14, 4)
	from := l.Used
	switch value := one.in.Value(); {
	case one.choices != nil && value == "":
		l.PutMax(th.Dim, "unset", from+room)
	case one.choices != nil:
		l.PutMax(th.JSONString, safe.Line(value), from+room)
	default:
		one.in.Draw(l, room)
		if i == f.at {
			f.cursor = l.Cursor
		}
	}
	if i == f.at && one.choices != nil {
		f.cursor = from
	}
	return l.Gap(max(from+room+1-l.Used, 1)).Put(th.Dim, one.kind).Finish()
}

// Click chooses the field under the pointer, turns a choice that was chosen, and sends
// where the keys are. It is false where there is no form.
func (p *Replays) Click(y int) (cmd tea.Cmd, taken bool) {
	f := p.form
	if !p.asks(askForm) {
		return nil, false
	}
	switch i := f.top + y; {
	case y >= f.rows:
		if y == len(p.formLines())-1 {
			return p.submit(), true
		}
	case i == f.at && f.fields[i].choices != nil:
		f.fields[i].turn(1)
	default:
		f.choose(i)
	}
	return nil, true
}
