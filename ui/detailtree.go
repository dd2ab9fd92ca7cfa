package ui

import "midwire/session/safe"

// doTree carries out what is about a tree of values, and says whether it did.
func (m *Model) doTree(a action) bool {
	d := &m.detail
	switch a {
	case actFold:
		if !d.tree() {
			m.sideways(1)
			return true
		}
		d.toggle()
	case actFoldAll, actUnfoldAll:
		if !d.tree() {
			m.complain("only JSON on the Request and Response tabs can be folded")
			return true
		}
		d.doc.folds.all(map[action]foldMode{actFoldAll: foldAll, actUnfoldAll: foldNone}[a])
		d.put(d.doc.near(d.cur))
	case actForm, actForms:
		m.turnForm(a == actForms)
	case actHex:
		m.turnHex()
	default:
		return false
	}
	return true
}

// turnForm shows a string, or every one, as it is written or as what it stands
// for. For all of them it holds in other messages too.
func (m *Model) turnForm(all bool) {
	d := &m.detail
	if !all {
		i := d.decodable()
		if i < 0 {
			m.complain("no text, JSON or media in a string here; U turns all of them")
			return
		}
		flip(&d.doc.folds.other, i)
		d.put(d.doc.near(d.doc.place(i)))
	} else {
		d.raw = !d.raw
		what := safe.Text("strings are shown as what they stand for; U shows them as JSON")
		if d.raw {
			what = "strings are shown as they are in the JSON; U decodes them"
		}
		m.announce(what)
		if d.tree() {
			d.doc.folds.forms(d.raw)
			d.put(d.doc.near(d.cur))
		}
	}
	d.search.in(&d.doc)
}

// turnHex shows the bytes of the Raw tab as numbers, or as text again.
func (m *Model) turnHex() {
	d := &m.detail
	if d.tab != tabRaw {
		d.tab, d.hex = tabRaw, true
		return
	}
	d.hex = !d.hex
}
