package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var stdoutNoise = rule("stdout-noise", diagnose.Noise, func(c *diagnose.Case) {
	if c.Dir == wire.ToClient {
		pollutes(c, "stdout")
	}
})

// pollutes reports the line in hand, with lines of the same kind together.
func pollutes(c *diagnose.Case, stream string) {
	if !overStdio(c) || c.Frame.Kind != wire.KindLine {
		return
	}
	kind := diagnose.State[run](c).next(c.Data)
	if c.Frame.Part == wire.Cut || c.Frame.EOL == "" && kind.what == fragment.what {
		kind = unfinishedEnd
	}
	if kind == unfinishedEnd {
		return
	}
	f := diagnose.Finding{}
	advise(&f, kind.why)
	f.Message = c.Named(sender(c)) + " wrote " + kind.what + " to " + stream + when(c) + ": " +
		quote(string(words.Clip(c.Data, 200))) + "."
	if kind == echoedLine {
		advise(&f, "echoes its input")
	}
	if kind == blankLine {
		f.Severity = diagnose.Note
		f.Message = c.Named(sender(c)) + " wrote an empty line to " + stream + when(c) + "."
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
