package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var stdinNoise = &diagnose.Rule{
	ID:       "stdin-noise",
	Title:    "The client writes something to the server's stdin that is no message",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "The server reads one JSON-RPC message per line from stdin. Anything else is an error for it: some skip the line, others end.",
		Wire:  "A line on stdin that is not JSON-RPC.",
		Cause: "Somebody types into the terminal that is the server's stdin, a script pipes a file with comments, or the client frames messages in another way.",
		Fix:   "In the client: write nothing to the server's stdin but messages, each on a line of its own.",
		Spec:  "2025-11-25 basic/transports: stdio",
		Example: `> Content-Length: 61
> hello?`,
	},
	On: diagnose.Noise,
	Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToServer {
			pollutes(c, "stdin")
		}
	},
}
