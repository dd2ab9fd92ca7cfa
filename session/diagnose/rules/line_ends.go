package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var lineEnds = &diagnose.Rule{
	ID:       "line-ends",
	Title:    "Lines end with CR LF, or the last line does not end",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means:   "A message ends with a line feed. The usual SDKs accept a carriage return before it; programs that split at line feeds may not. Some clients never deliver a last line without a line feed.",
		Wire:    `A message is followed by \r\n, or by the end of the stream.`,
		Cause:   "The stream is in text mode on Windows, or the process exited before it wrote the line feed.",
		Fix:     `In the side that sends it: write "\n" in binary mode, and flush before you exit.`,
		Spec:    "2025-11-25 basic/transports: stdio",
		Example: `< {"jsonrpc":"2.0","id":1,"result":{}}\r\n`,
	},
	On: diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More {
			return
		}
		key, what := "crlf", "ends its lines with a carriage return and a line feed, first in "+frame(c.N)
		if c.Frame.EOL == "" {
			key, what = "none", "did not end its last line ("+frame(c.N)+") with a line feed"
		}
		c.ReportAs(key+string(c.Dir), diagnose.Finding{Message: the(sender(c)) + " " + what + ".", Side: sender(c)})
	},
}
