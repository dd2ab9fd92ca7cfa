package ui

import (
	"midwire/ui/detail"
	"midwire/ui/document"
)

// detailPane is the pane that shows one row: in words, and its bytes.
type detailPane struct {
	document.Viewer
	tab  detail.Tab
	key  detail.Shown
	find find // a text in the document is being written
	hex  bool // bytes on the Raw tab are numbers
}

// accept takes a finished document. The place is kept when it is about the
// same row and tab as before; else it begins where something was looked for.
func (d *detailPane) accept(k detail.Shown, doc document.Doc) {
	other := d.key.Rec != k.Rec || d.key.Id != k.Id || d.key.Tab != k.Tab || d.key.Frames != k.Frames
	d.key = k
	d.Viewer.Accept(doc, other)
}
