package ui

import (
	"midwire/session/safe"
	"midwire/session/wire"
)

// drawDefinition draws what the server said of the selected item.
func (v *toolsView) drawDefinition(m *Model, w, h int) []string {
	it := v.selected()
	if it == nil {
		return blanks(h, w)
	}
	v.layDefinition(m, it, w-3)
	v.def.page = true
	v.def.fit(len(v.defDoc.lines), h-1)
	right := []seg{}
	if it.Size > 0 {
		right = append(right, seg{m.th.dim, size(int64(it.Size)) + " bytes"})
	}
	if len(right) > 0 && v.def.lines > v.def.height {
		right = append(right, seg{plain, "   "})
	}
	if end := min(v.def.top+v.def.height, v.def.lines); v.def.lines > v.def.height {
		right = append(right, seg{m.th.pend, number(v.def.top+1) + "-" + number(end) + " of " + count(v.def.lines, "line")})
	}
	title := m.title(w, "Definition of "+cutText(safe.Line(it.Name), w/2, &m.sg), v.reading, right...).finish()
	var body []string
	for i := v.def.top; i < min(v.def.top+v.def.height, len(v.defDoc.lines)); i++ {
		l := newLine(w, &m.sg).gap(1)
		v.defDoc.lines[i].draw(l, &m.th)
		body = append(body, l.finish())
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
	d := doc{w: w}
	if it.Definition == nil {
		if it.Listed == 0 {
			d.text(plain, "It is in no list of the server: nothing says how it is defined.")
		} else {
			d.text(plain, "It is too long to be kept here; it stands in "+frameRef(it.Listed)+".")
		}
		v.defDoc = d
		return
	}
	for _, name := range []string{"title", "description"} {
		if t := wire.Text(wire.Get(it.Definition, name)); t != "" {
			d.wrapLine(safe.Marked(t[:min(len(t), 4<<10)]), w, false)
		}
	}
	d.add(seg{m.th.dim, "listed in "}, seg{m.th.note, frameRef(it.Listed)}, seg{m.th.dim, ", " + v.approx(m) + " " + number(tokens(it.Size)) + " tokens"})
	d.blank()
	if len(it.Definition) > maxDefinitionShown {
		d.text(m.th.warn, "It has "+size(int64(it.Size))+" bytes; this is the beginning.")
		d.wrapped(&m.th, it.Definition[:maxDefinitionShown], w, false)
	} else {
		d.body(&m.th, it.Definition, w)
	}
	v.defDoc = d
}
