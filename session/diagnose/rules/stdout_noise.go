package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var stdoutNoise = &diagnose.Rule{
	ID:       "stdout-noise",
	Title:    "The server writes a line to stdout that is not a message",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: `On stdio, stdout belongs to the protocol: one JSON-RPC message per line. Any other line is a broken message for the client: it logs "Unexpected token … is not valid JSON", or disconnects.`,
		Wire:  "A line on stdout that is not JSON-RPC: a banner, a log line, a traceback, a notice of npm, colours.",
		Cause: "The server, or a library it uses, prints with print, console.log or fmt.Println, or a logger writes to stdout.",
		Fix:   "In the server: print to stderr (console.error, print(…, file=sys.stderr), log to stderr). When a library prints, redirect stdout to stderr before loading it and keep the real stdout for the transport.",
		Spec:  "2025-11-25 basic/transports: stdio",
		Example: `< Weather server 1.0.0 is running on stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize",…}
< [info] client connected`,
	},
	On: diagnose.Noise,
	Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToClient {
			pollutes(c, "stdout")
		}
	},
}

// pollutes reports the line in hand, with lines of the same kind together.
func pollutes(c *diagnose.Case, stream string) {
	if !overStdio(c) || c.Frame.Kind != wire.KindLine {
		return
	}
	kind := diagnose.State[run](c).next(c.Data)
	if c.Frame.Part == wire.Cut || c.Frame.EOL == "" && kind.what == fragment.what {
		kind = unfinishedEnd
	}
	if kind == twoOnALine || kind == unfinishedEnd {
		return
	}
	f := diagnose.Finding{Cause: kind.cause, Fix: kind.fix}
	f.Message = the(sender(c)) + " wrote " + kind.what + " to " + stream + when(c) + ": " +
		quote(string(c.Data[:min(len(c.Data), 200)])) + "."
	if kind == blankLine {
		f.Severity = diagnose.Note
		f.Message = the(sender(c)) + " wrote an empty line to " + stream + when(c) + "."
	}
	c.ReportAs(kind.what, f)
}

// when says at which point of the session the message in hand came.
func when(c *diagnose.Case) string {
	switch init := c.Facts.Init; {
	case init != nil && init.ResponseN != 0:
		return " after the handshake"
	case init != nil:
		return " between initialize and its response"
	case c.Facts.Calls == 0:
		return " before the first request"
	}
	return ""
}
