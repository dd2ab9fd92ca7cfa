package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var clientTimeout = rule("client-timeout", onGivingUp|diagnose.Noise|diagnose.Stderr, func(c *diagnose.Case) {
	last := diagnose.State[garbled](c)
	if hear(c); c.Kind == stderrKind {
		return
	}
	if c.Kind == noiseKind {
		last.note(c)
		return
	}
	g, ok := gaveUp(c)
	if !ok || !g.timed() {
		return
	}
	switch why := explained(c, &g, last); {
	case why != 0: // another rule covers it
		c.ReportAs("explained", diagnose.Finding{
			Message: g.begin(c), Frames: []uint64{c.N, g.N, why},
		})
	case g.call == nil:
		c.ReportAs("", diagnose.Finding{
			Message: g.begin(c) + " " + number(g.limit) +
				" s is a common time limit. Nothing shows whether the response would have come later, or never.",
			Frames: []uint64{c.N, g.N},
		})
	default:
		timedOut(c, &g, last)
	}
})

// explained is a frame of what another rule says that a request waited for, so that
// neither its limit nor progress is to blame; 0 for none.
func explained(c *diagnose.Case, g *givenUp, last *garbled) uint64 {
	if g.Owes == wire.ToServer {
		return 0
	}
	if q, ok := question(c, g.Row); ok && (isOpen(&q) || q.End == session.Undelivered) {
		return q.N
	}
	if last.n > g.N {
		return last.n
	}
	if isMute(c) {
		return g.N
	}
	return 0
}

func timedOut(c *diagnose.Case, g *givenUp, last *garbled) {
	call := g.call
	f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N, call.N}}
	f.Message = c.Named(sender(c)) + " cancelled " + about(call) + " after " + seconds(g.waited) + " (" + frame(c.N) + ")"
	if g.reason != "" {
		f.Message += ": " + quote(g.reason)
	} else if g.limit != 0 {
		f.Message += ", which is a common time limit"
	}
	f.Message += "."
	switch {
	case call.Dir == wire.ToClient:
		f.Message += " The client had received it and did not respond."
		f.Side = diagnose.Client
		f.Remedies = fixes(inClient("respond to every request of the server, with an error or with decline when no one can answer it, and declare only capabilities that are served."), inServer("give people time, and continue without the response."))
	case isList(call.Method) && call.Progress == 0:
		f.Message += " No response had come."
		if f.Side = diagnose.Server; call.Method != mcp.Initialize {
			f.Message += " A list needs no time."
		} else if g.waited < 30e9 {
			f.Side = diagnose.Unclear // it may still be starting
		}
		advise(&f, "list not answered")
	case call.Token == "":
		f.Side = diagnose.Unclear // whether it would have come is not known
		if first := last.call; first != nil && c.Facts.LastOK < first.T {
			f.Side, f.Severity = diagnose.Server, diagnose.Error
			f.Message += " It is not the first: no response at all has come since " + about(first) + ", so that one hangs, and more time would not help."
			f.Frames = append(f.Frames, first.N)
			advise(&f, "hangs from the first call")
			break
		}
		last.call = call
		f.Message += " The request had no progress token, so no progress could extend the limit."
	case call.Progress == 0:
		f.Message += " The request had a progress token, and no progress arrived."
		f.Side = sideOf(c.Dir.Opposite())
		f.Remedies = fixes(inServer("send progress with the token of the request every few seconds."), inClient("let progress reset the time limit, and raise it for slow tools."))
	case call.Done:
		f.Side = sideOf(c.Dir.Opposite())
		f.Message += " Progress had arrived " + words.CountOf(call.Progress, "time", "times") + " and said at last that all was done, but no response came."
		advise(&f, "done, never answered")
	default:
		f.Message += " Progress arrived " + words.CountOf(call.Progress, "time", "times") + ", and did not extend the limit."
		f.Remedies = fixes(inClient("let progress reset the time limit (resetTimeoutOnProgress in the TypeScript SDK), or raise it for slow tools."))
	}
	if call.Dir == wire.ToServer && overStdio(c) {
		hear(c).meanwhile(&f, call.N)
	}
	c.ReportAs(f.Severity.String(), f)
}

// garbled is the latest line of a server that looks like a message, or a part of one,
// and is none: it may be the response that the client waits for.
type garbled struct {
	n    uint64
	call *diagnose.Call // the latest that was given up for its time, nil for none
}

func (g *garbled) note(c *diagnose.Case) {
	if c.Dir != wire.ToClient || !overStdio(c) || c.Frame.Kind != wire.KindLine {
		return
	}
	switch classify(c.Data) {
	case markedLine, fragment, notAMessage, brokenMessage, bareResult, unfinishedEnd:
		g.n = c.N
	}
}

func isList(method string) bool {
	switch method {
	case mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.Initialize, mcp.Discover:
		return true
	}
	return false
}
