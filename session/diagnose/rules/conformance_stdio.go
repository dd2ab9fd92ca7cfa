package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// stdioConformance are those of pipes.
var stdioConformance = []*diagnose.Rule{
	{ID: "restart-differs", On: diagnose.Taps, Check: func(c *diagnose.Case) {
		if c.Frame.Kind == wire.KindEdit && c.Session != nil && text(wire.Get(c.Data, "what")) == wire.EditReloadResponse {
			was, now := editOf(c)
			c.Found("", was+now, fill{"was": was, "now": now})
		}
	}},
	{ID: "killed-without-eof", On: diagnose.Processes, Check: func(c *diagnose.Case) {
		p := c.Ledger.Pipes()
		end, over := exitOf(c)
		if !over || p.Stdin != 0 || end.signal != "SIGTERM" && end.signal != "SIGKILL" && !end.lost ||
			c.Session.Probe || c.Session.Messages == 0 || end.killed(c) && c.Session.Pending > 0 ||
			c.Tracker().ByGate([]uint64{c.N}) { // we did it
			return
		}
		f := diagnose.Finding{Seen: true, With: fill{"signal": end.signal, "sent": p.Signal}}
		if p.Signal != 0 { // it came from the client's side, by way of midwire
			f.Seen, f.Says, f.Frames = false, "sent", []uint64{c.N, p.Signal}
		}
		if d, ok := c.Ledger.Of(int(oldest(c))); ok && c.T-d.T >= 1e9 {
			f.Severity = diagnose.Note // a server that hangs is ended
		}
		c.ReportAs("", f)
	}},
	{ID: "ignores-stdin-eof", On: diagnose.Processes, Check: func(c *diagnose.Case) {
		p := c.Ledger.Pipes()
		end, over := exitOf(c)
		due, ok := c.Ledger.Other(ledger.Exit, -1)
		if !over || !ok || due.EndN != c.N || p.StdinBy != wire.ByClient || p.Stdout != 0 && p.StdoutT < p.StdinT {
			return
		}
		took := due.Wait(c.T)
		if took < 1.5e9 || took < 5e9 && !end.asked() && p.Signal < due.N {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, due.N}, With: fill{"closed": due.N, "took": seconds(took), "signal": end.signal}}
		if end.signal != "" {
			f.Says = "killed"
		}
		if !c.IsModern() || took < 5e9 {
			f.Severity = diagnose.Note // only 2026-07-28 asks for an exit, and within no given time
		}
		c.ReportAs("", f)
	}},
	{ID: "stdin-noise", On: diagnose.Noise, Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToServer {
			pollutes(c, "stdin")
		}
	}},
	{ID: "server-too-early", On: diagnose.Questions | diagnose.Notifications, Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || c.Facts == nil || c.Facts.Initialized != 0 || c.Facts.Calls > 0 ||
			c.Blind() || !assigned(c) {
			return
		}
		method := string(c.Message.Method)
		switch method {
		case mcp.Ping, mcp.NotifyMessage, mcp.NotifyProgress, mcp.NotifyCancelled:
			return
		}
		frames, says, with := []uint64{c.N}, "first", fill{}
		switch init := c.Facts.Init; {
		case init == nil && !startSeen(c) || init != nil && init.Refused:
			return
		case init == nil:
		case init.ResponseN == 0:
			frames, says, with = append(frames, init.N), "initialize", fill{"init": init.N}
		default:
			frames, says = append(frames, init.ResponseN), "initialized"
		}
		if method == mcp.Initialize {
			c.ReportAs("echo", withAdvice("echoes its input", diagnose.Finding{
				Side: diagnose.Client, Frames: frames, Brief: "server echoes its input", Says: "echo",
			}))
			return
		}
		f := diagnose.Finding{Says: says, With: with, Frames: frames}
		if c.Message.Kind == wire.MsgNotification { // the specification speaks of requests
			f.Severity = diagnose.Note
		}
		c.ReportAs(method, f)
	}},
	{ID: "request-from-server", On: diagnose.Questions, Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToClient && overStdio(c) && c.Facts.LastOK != 0 {
			c.Found("", c.Call.Method, nil)
		}
	}},
	{ID: "line-ends", On: diagnose.Lines | diagnose.SSE, Check: func(c *diagnose.Case) {
		switch {
		case c.Kind == sseKind:
			if bytes.IndexByte(c.Data, '\r') >= 0 && bytes.IndexByte(c.Data, '\n') < 0 {
				c.ReportAs("cr", diagnose.Finding{Says: "cr", Severity: diagnose.Warning, Side: diagnose.Server})
			}
		case c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More:
		case c.Frame.EOL == "":
			c.Blame("none", "none"+string(c.Dir), nil)
		default:
			c.Blame("crlf", "crlf"+string(c.Dir), nil)
		}
	}},
}

func startSeen(c *diagnose.Case) bool {
	rows := c.Session.Rows()
	return overStdio(c) && len(rows) > 0 && c.Tracker().Row(int(rows[0])).Kind == session.RowProcess
}

// exit is how a process ended.
type exit struct {
	code   int64
	signal string
	lost   bool // the tap ended it
}

// exitOf is how the process in hand ended, if it did.
func exitOf(c *diagnose.Case) (exit, bool) {
	if c.Frame.Kind != wire.KindExit {
		return exit{}, false
	}
	code, _ := wire.Int(wire.Get(c.Data, "code"))
	return exit{code, text(wire.Get(c.Data, "signal")), string(wire.Get(c.Data, "lost")) == "true"}, true
}

// asked says whether a signal asked the process to end. One that minds the signal
// ends with the code a shell would give it: 128 and the number.
func (e exit) asked() bool {
	switch e.signal {
	case "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP":
		return true
	}
	return e.lost || e.code == 129 || e.code == 130 || e.code == 137 || e.code == 143
}

// killed says whether something other than its client killed the process: midwire passes on
// every signal that it can get, and it cannot get SIGKILL and live.
func (e exit) killed(c *diagnose.Case) bool {
	return (e.signal == "SIGKILL" || e.code == 137) && !e.lost && c.Ledger.Pipes().Signal == 0
}
