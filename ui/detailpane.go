package ui

import "midwire/ui/document"

// detail is the pane that shows one row: in words, and its bytes.
type detail struct {
	document.Viewer
	tab  tab
	key  shown
	find find // a text in the document is being written
	hex  bool // bytes on the Raw tab are numbers
}

// accept takes a finished document. The place is kept when it is about the
// same row and tab as before; else it begins where something was looked for.
func (d *detail) accept(k shown, doc document.Doc) {
	other := d.key.rec != k.rec || d.key.id != k.id || d.key.tab != k.tab || d.key.frames != k.frames
	d.key = k
	d.Viewer.Accept(doc, other)
}
