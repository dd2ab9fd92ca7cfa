package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var lineEnds = &diagnose.Rule{
	ID:       "line-ends",
	Title:    "Lines end with CR LF, or the last line does not end",
	Brief:    "odd line ends",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	On:       diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More {
			return
		}
		key, what := "crlf", "ends its lines with a carriage return and a line feed, first in "+frame(c.N)
		if c.Frame.EOL == "" {
			key, what = "none", "did not end its last line ("+frame(c.N)+") with a line feed"
		}
		blameSender(c, key+string(c.Dir), what+".")
	},
}
