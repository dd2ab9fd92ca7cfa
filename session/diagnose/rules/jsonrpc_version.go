package rules

import (
	"midwire/session/diagnose"
	"midwire/session/words"
)

var jsonrpcVersion = rule("jsonrpc-version", diagnose.Messages,
	func(c *diagnose.Case) {
		if string(c.Message.Version) == `"2.0"` {
			return
		}
		what := `with "jsonrpc":` + string(words.Clip(c.Message.Version, 40))
		if c.Message.Version == nil {
			what = `without "jsonrpc"`
		}
		blameSender(c, what, "sent a message ("+frame(c.N)+") "+what+`. It must be "2.0".`)
	})
