package ui

import (
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/term"
)

// drawDefinition draws what the server said of the selected item.
func (v *toolsView) drawDefinition(m *Model, w, h int) []string {
	it := v.selected()
	if it == nil {
		return term.Blanks(h, w)
	}
	v.layDefinition(m, it, w-3)
	v.def.page = true
	v.def.fit(len(v.defDoc.Lines), h-1)
	right := []term.Seg{}
	if it.Size > 0 {
		right = append(right, term.S(m.th.Dim, term.Size(int64(it.Size))+" bytes"))
	}
	if len(right) > 0 && v.def.lines > v.def.height {
		right = append(right, term.S(term.Plain, "   "))
	}
	if end := min(v.def.top+v.def.height, v.def.lines); v.def.lines > v.def.height {
		right = append(right, term.S(m.th.Pend, term.Number(v.def.top+1)+"-"+term.Number(end)+" of "+term.Count(v.def.lines, "line")))
	}
	title := m.title(w, "Definition of "+cutText(safe.Line(it.Name), w/2, &m.sg), v.reading, right...).Finish()
	var body []string
	for i := v.def.top; i < min(v.def.top+v.def.height, len(v.defDoc.Lines)); i++ {
		l := term.NewLine(w, &m.sg).Gap(1)
		v.defDoc.Lines[i].Draw(l, &m.th)
		body = append(body, l.Finish())
	}
	return m.page(w, h, title, body)
}

const maxDefinitionShown = 128 << 10

// layDefinition lays the definition out: what it says in words, and all of it.
func (v *toolsView) layDefinition(m *Model, it *itemRow, w int) {
	of := itemDefinition{it.Name, it.Listed, w, m.look}
	if v.defOf == of {
		return
	}
	if v.defOf.name != it.Name {
		v.def.top = 0
	}
	v.defOf = of
	d := document.Doc{Width: w}
	if it.Definition == nil {
		if it.Listed == 0 {
			d.Text(term.Plain, "It is in no list of the server: nothing says how it is defined.")
		} else {
			d.Text(term.Plain, "It is too long to be kept here; it stands in "+frameRef(it.Listed)+".")
		}
		v.defDoc = d
		return
	}
	for _, name := range []string{"title", "description"} {
		if t := wire.Text(wire.Get(it.Definition, name)); t != "" {
			d.WrapLine(safe.Marked(t[:min(len(t), 4<<10)]), w, false)
		}
	}
	d.Add(term.S(m.th.Dim, "listed in "), term.S(m.th.Note, frameRef(it.Listed)), term.S(m.th.Dim, ", "+v.approx(m)+" "+term.Number(tokens(it.Size))+" tokens"))
	d.Blank()
	if len(it.Definition) > maxDefinitionShown {
		d.Text(m.th.Warn, "It has "+term.Size(int64(it.Size))+" bytes; this is the beginning.")
		d.Wrapped(&m.th, it.Definition[:maxDefinitionShown], w, false)
	} else {
		d.Body(&m.th, it.Definition, w)
	}
	v.defDoc = d
}
