package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var lineEnds = rule("line-ends", diagnose.Messages,
	func(c *diagnose.Case) {
		if c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More {
			return
		}
		key, what := "crlf", "ends its lines with a carriage return and a line feed, first in "+frame(c.N)
		if c.Frame.EOL == "" {
			key, what = "none", "did not end its last line ("+frame(c.N)+") with a line feed"
		}
		blameSender(c, key+string(c.Dir), what+".")
	})
