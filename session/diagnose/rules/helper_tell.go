package rules

import (
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/notes"
)

// Tell has a checker know what asking a server again came to, as the notes of the recording
// have it: it is evidence, and changes no finding.
func Tell(c *diagnose.Checker, n *notes.Notes) {
	var all []evidence.Again
	for k, a := range n.Asked() {
		one := evidence.Again{N: k.Frame, Says: a.Says, Tries: a.Tries, At: a.At}
		if a.Known && (a.Side == diagnose.Client.String() || a.Side == diagnose.Server.String()) {
			one.Side = a.Side
		}
		all = append(all, one)
	}
	c.Told(all)
}
