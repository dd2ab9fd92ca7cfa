package menu

import (
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Delete are lines of w cells that ask whether to delete a recording; outside says
// that its file is not among those of midwire.
func Delete(sc *term.Screen, w int, r *library.Recording, path string, size int64, outside bool) []string {
	d := document.Doc{Width: w - 2}
	if r == nil {
		return nil
	}
	d.Text(term.Bold, "Delete this recording for good?")
	d.Blank()
	field := func(name, text safe.Text) { d.Field(sc.Theme, name, term.S(term.Plain, text)) }
	field("name", r.Name())
	field("file", safe.Line(path))
	field("size", term.Bytes(size))
	if n := r.Notes; n.Total() > 0 {
		field("notes", term.Count(n.Count(notes.Mark), "mark")+", "+term.Count(n.Count(notes.Comment), "comment")+", "+
			term.Count(n.Count(notes.Name)+n.Count(notes.Session), "name"))
	}
	if outside {
		d.Blank()
		d.Text(sc.Theme.Warn, sc.Glyphs.Warn+" The file is not in midwire's folder of recordings.")
	}
	keys := term.NewLine(w, sc.Glyphs).Gap(1).Cell(sc.Theme.Key, "y", 3).Cell(term.Plain, "delete", 10)
	return append(d.All(sc, w, 1), term.NewLine(w, sc.Glyphs).Finish(),
		keys.Cell(sc.Theme.Key, "any key", 9).Put(term.Plain, "keep it").Finish())
}
