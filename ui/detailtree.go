package ui

import (
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
)

// turnForm shows a string, or every one, as it is written or as what it stands
// for. For all of them it holds in other messages too.
func (m *Model) turnForm(all bool) {
	d := &m.detail
	if !all {
		i := d.Decodable()
		if i < 0 {
			m.complain("no text, JSON or media in a string here; U turns all of them")
			return
		}
		document.Flip(&d.Doc.Folds.Other, i)
		d.PutCursor(d.Doc.Near(d.Doc.Place(i)))
	} else {
		d.Raw = !d.Raw
		what := safe.Text("strings are shown as what they stand for; U shows them as JSON")
		if d.Raw {
			what = "strings are shown as they are in the JSON; U decodes them"
		}
		m.announce(what)
		if d.Foldable() {
			d.Doc.Folds.Forms(d.Raw)
			d.PutCursor(d.Doc.Near(d.Cur))
		}
	}
	d.Search.In(&d.Doc)
}

// turnHex shows the bytes of the Raw tab as numbers, or as text again.
func (m *Model) turnHex() {
	d := &m.detail
	if d.tab != detail.TabRaw {
		d.tab, d.hex = detail.TabRaw, true
		return
	}
	d.hex = !d.hex
}
