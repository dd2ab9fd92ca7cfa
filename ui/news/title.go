package news

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Title is what the terminal's window is called: the recording that is shown, and
// how many errors were found in those that are live.
func Title(program safe.Text, shown *library.Recording, all []*library.Recording, g *term.Glyphs) safe.Text {
	errors := 0
	for _, r := range all {
		if r.Live {
			errors += r.Findings.Total[diagnose.Error]
		}
	}
	if errors > 0 {
		program += " " + g.Err + safe.Int(errors)
	}
	if shown != nil {
		program = shown.Name() + " - " + program
	}
	return term.Cut(program, 60, "")
}
