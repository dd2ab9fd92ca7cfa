package insight

import (
	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawDefinition draws what the server said of the selected item.
func (v *toolsView) drawDefinition(sc *library.Scene, w, h int) []string {
	it := v.selected()
	if it == nil {
		return term.Blanks(h, w)
	}
	name := "Definition of " + term.Shorten(it.label, w/2, sc.Glyphs)
	p := term.Panel{Name: title(sc, name), Focus: v.Reading}
	iw, ih := p.Inner(&sc.Screen, w, h)
	v.layDefinition(sc, it, iw-2)
	v.Below.Page = true
	body := view.Text(sc, &v.defDoc, &v.Below, iw, ih)
	if it.Size > 0 {
		p.State = append(p.State, term.S(sc.Theme.Dim, term.Bytes(it.Size)))
	}
	p.State = view.Join(p.State, v.Below.Seen(sc))
	return p.Draw(&sc.Screen, w, h, body)
}

const maxDefinitionShown = 128 << 10

// layDefinition lays the definition out: what it says in words, and all of it.
func (v *toolsView) layDefinition(sc *library.Scene, it *itemRow, w int) {
	of := itemDefinition{it.Name, it.Listed, w, sc.Look}
	if v.defOf == of {
		return
	}
	if v.defOf.name != it.Name {
		v.Below.Top = 0
	}
	v.defOf = of
	d := document.Doc{Width: w}
	if it.Definition == nil {
		if it.Listed == 0 {
			d.Text(term.Plain, "It is in no list of the server: nothing says how it is defined.")
		} else {
			d.Text(term.Plain, "It is too long to be kept here; it stands in "+view.FrameRef(it.Listed)+".")
		}
		v.defDoc = d
		return
	}
	for _, name := range []string{"title", "description"} {
		if t := wire.Text(wire.Get(it.Definition, name)); t != "" {
			d.WrapLine(safe.Marked(words.Clip(t, 4<<10)), w, false)
		}
	}
	if said := session.ReadApp(it.Definition).Words(); said != "" {
		d.WrapLine(safe.Marked(said), w, false)
	}
	dim, size := sc.Theme.Dim, v.approx(sc)+" "+term.Number(tokens(it.Size))+" tokens"
	d.Add(term.S(dim, "listed in "), term.S(sc.Theme.Note, view.FrameRef(it.Listed)), term.S(dim, ", "+size))
	d.Blank()
	if len(it.Definition) > maxDefinitionShown {
		d.Text(sc.Theme.Warn, "It has "+term.Size(int64(it.Size))+" bytes; this is the beginning.")
		d.Wrapped(sc.Theme, it.Definition[:maxDefinitionShown], w, false)
	} else {
		d.Body(sc.Theme, it.Definition, w)
	}
	v.defDoc = d
}
