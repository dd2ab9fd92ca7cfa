package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var stdinNoise = &diagnose.Rule{
	ID:       "stdin-noise",
	Title:    "The client writes a line to stdin that is not a message",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "The server reads one JSON-RPC message per line from stdin. Any other line is an error: some servers skip it, others exit.",
		Wire:  "A line on stdin that is not JSON-RPC.",
		Cause: "Somebody types into the terminal that is the server's stdin, a script pipes a file with comments, or the client frames messages differently.",
		Fix:   "In the client: write only messages to the server's stdin, each on a line of its own.",
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
