package rules

import (
	"strings"

	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var serverDidNotStart = rule("server-did-not-start", diagnose.Processes, func(c *diagnose.Case) {
	trouble := text(wire.Get(c.Data, "error"))
	if c.Frame.Kind != wire.KindStart || trouble == "" {
		return
	}
	trouble, _, _ = strings.Cut(strings.TrimSuffix(trouble, "."), ". ") // advice follows
	f := diagnose.Finding{Message: c.Server() + " could not be started: " + trouble + "."}
	if strings.Contains(trouble, "cannot be run") || strings.Contains(trouble, "permission denied") {
		advise(&f, "file is no program")
	}
	c.ReportAs("", f)
})

var argumentMissing = rule("argument-missing", diagnose.Processes, lacksAtStart)

var certificateUntrusted = rule("certificate-untrusted", diagnose.Processes, lacksAtStart)

var commandWrong = rule("command-wrong", diagnose.Processes, lacksAtStart)

var moduleMissing = rule("module-missing", diagnose.Processes, lacksAtStart)

var runtimeTooOld = rule("runtime-too-old", diagnose.Processes, lacksAtStart)

var serviceUnreachable = rule("service-unreachable", diagnose.Processes, lacksAtStart)

var settingMissing = rule("setting-missing", diagnose.Processes|diagnose.Finish, func(c *diagnose.Case) {
	if c.N == 0 {
		offersNothing(c)
		return
	}
	lacksAtStart(c)
})

// offersNothing reports a server that runs without what it needs: it said what it lacks, and has
// no tools.
func offersNothing(c *diagnose.Case) {
	if c.Facts == nil || !c.Facts.Negotiated() {
		return
	}
	a := c.Operations().Of(c.Session.Index)
	if a == nil || len(a.Tools)+len(a.Resources) > 0 || len(a.Stderr.First) == 0 {
		return
	}
	for _, method := range []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet, mcp.PromptsList} {
		if t := a.Tally(method); t != nil && t.Served > 0 {
			return
		}
	}
	line := a.Stderr.First[0]
	list := a.Tally(mcp.ToolsList)
	if list == nil && offersAnything(c.Facts.Init.ServerCaps) || !holdsSetting(line.Text, nil) {
		return
	}
	f := diagnose.Finding{
		Severity: diagnose.Warning, Says: "runs", Frames: []uint64{line.N, c.Facts.Init.ResponseN},
		With: fill{"said": strings.TrimSpace(line.Text), "line": line.N},
	}
	if names := lacking("setting-missing", line.Text); names != "" {
		f.Remedies = addSetting(names)
	}
	c.ReportAs("", f)
}

// serverRestarted is about a server that failed while midwire kept its client connected:
// what was answered in its place hides that from the client.
var serverRestarted = rule("server-restarted", diagnose.Taps, func(c *diagnose.Case) {
	if c.Frame.Kind != wire.KindEdit || c.Session == nil {
		return
	}
	was, now := editOf(c)
	switch text(wire.Get(c.Data, "what")) {
	case wire.EditReloadEnded:
		c.ReportAs("", diagnose.Finding{Message: c.Server() + " ended while it was needed (" + frame(c.N) + "): " + now +
			". midwire kept the client connected, and answered its open calls with errors."})
	case wire.EditReloadFailed:
		c.ReportAs("failed", diagnose.Finding{Message: c.Server() + " could not be restarted (" + frame(c.N) + ", " + was + "): " + now + "."})
	}
})

func editOf(c *diagnose.Case) (was, now string) {
	return words.Line(text(wire.Get(c.Data, "was")), 200), words.Line(text(wire.Get(c.Data, "now")), 200)
}

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

var stdoutBuffered = rule("stdout-buffered", diagnose.Lines|diagnose.Finish, func(c *diagnose.Case) {
	s, p := diagnose.State[heldBack](c), c.Ledger.Pipes()
	switch {
	case c.N == 0 && s.count > 0 && !s.inTime && !c.Blind():
		c.Say("", s.begin+words.CountOf(s.count, "response", "responses")+" came, all at once.", s.frames...)
	case c.N == 0 || c.Call == nil || c.Message.Kind != wire.MsgResult || c.Dir != wire.ToClient || !overStdio(c):
	case p.Stdin == 0 || p.StdinT-c.Call.T < 2e9 || c.T-p.StdinT > 500e6:
		s.inTime = true
	default:
		if s.count++; s.count == 1 {
			s.frames = []uint64{c.N, c.Call.N, p.Stdin}
			s.begin = c.Client() + " waited " + seconds(p.StdinT-c.Call.T) + " for the response to " + about(c.Call) +
				" and closed stdin (" + frame(p.Stdin) + "). Only then "
		}
	}
})

// heldBack are the responses that came when the client had closed stdin, and not before.
type heldBack struct {
	inTime bool // a response came before
	count  int
	begin  string
	frames []uint64
}

var midwireDefect = rule("midwire-defect", diagnose.Defects, func(c *diagnose.Case) {
	f := defective(c.Defect)
	c.ReportAs(c.Defect.Key(), f)
})

func defective(d *defect.Defect) diagnose.Finding {
	f := diagnose.Finding{Message: "While midwire read the recording, " + d.Unit + " failed", Defect: d}
	if d.Frame != 0 {
		f.Message += " at " + frame(d.Frame)
		f.Frames = []uint64{d.Frame}
	}
	f.Message += ": " + d.What + ". It is left out; everything else is judged as usual, and no traffic was affected."
	return f
}

// Defect is the finding about a recording that midwire failed to read to its end.
func Defect(d *defect.Defect) *diagnose.Finding {
	r := Find("midwire-defect")
	f, help := defective(d), r.Help()
	f.Rule, f.Severity, f.Side = r, r.Severity, r.Side
	f.Session, f.Count, f.Cause, f.Remedies = -1, 1, help.Cause, help.Remedies
	return &f
}
