package rules

import (
	"midwire/session/diagnose"
	"midwire/session/notes"
)

// askedAgain watches nothing: midwire probe asks, Tell hands on what came of it.
var askedAgain = rule("asked-again", diagnose.Overall, func(*diagnose.Case) {})

// Tell has a checker know what asking a server again came to, as the notes of the recording
// have it. What is not certain changes no finding. Find has the rule with its page read.
func Tell(c *diagnose.Checker, n *notes.Notes) {
	for k, a := range n.Asked() {
		if !a.Certain {
			continue
		}
		side := diagnose.Unclear
		switch a.Side {
		case diagnose.Client.String():
			side = diagnose.Client
		case diagnose.Server.String():
			side = diagnose.Server
		case diagnose.Gateway.String():
			side = diagnose.Gateway
		}
		c.Told(Find(askedAgain.ID), k.Frame, a.Says+" Asked again by midwire probe.", side, a.Confirms, a.About...)
	}
}
