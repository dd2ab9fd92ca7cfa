package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// stdioConformance are those of pipes.
var stdioConformance = []formal{
	{
		id: "restart-differs", on: diagnose.Taps,
		wrong: func(c *diagnose.Case) (string, fill) {
			if c.Frame.Kind != wire.KindEdit || c.Session == nil ||
				text(wire.Get(c.Data, "what")) != wire.EditReloadResponse {
				return "", nil
			}
			was, now := editOf(c)
			return was + now, fill{"was": was, "now": now}
		},
	},
	{
		id: "killed-without-eof", on: diagnose.Processes,
		check: func(c *diagnose.Case) {
			p := c.Ledger.Pipes()
			end, over := exitOf(c)
			if !over || p.Stdin != 0 || end.signal != "SIGTERM" && end.signal != "SIGKILL" && !end.lost ||
				c.Session.Probe || c.Session.Messages == 0 || end.killed(c) && c.Session.Pending > 0 ||
				c.Tracker().ByGate([]uint64{c.N}) { // we did it
				return
			}
			f := diagnose.Finding{Seen: true}
			f.Message = c.Server() + " was ended by " + end.signal + " (" + frame(c.N) + "), which did not come through midwire, and its stdin was still open."
			if p.Signal != 0 { // it came from the client's side, by way of midwire
				f.Seen, f.Frames = false, []uint64{c.N, p.Signal}
				f.Message = c.Client() + " sent " + end.signal + " to " + c.Server() + " (" + frame(p.Signal) +
					"), and its stdin was still open."
			}
			if d, ok := c.Ledger.Of(int(oldest(c))); ok && c.T-d.T >= 1e9 {
				f.Severity = diagnose.Note // a server that hangs is ended
			}
			c.ReportAs("", f)
		},
	},
	{
		id: "ignores-stdin-eof", on: diagnose.Processes,
		check: func(c *diagnose.Case) {
			p := c.Ledger.Pipes()
			end, over := exitOf(c)
			due, ok := c.Ledger.Other(ledger.Exit, -1)
			if !over || !ok || due.EndN != c.N || p.StdinBy != wire.ByClient || p.Stdout != 0 && p.StdoutT < p.StdinT {
				return
			}
			took := due.Wait(c.T)
			if took < 1.5e9 || took < 5e9 && !end.asked() {
				return
			}
			how := "ended"
			if end.signal != "" {
				how = "was ended by " + end.signal
			}
			f := diagnose.Finding{
				Message: c.Client() + " closed stdin (" + frame(due.N) + "). The server " + how + " " + seconds(took) + " later (" + frame(c.N) + ").",
				Frames:  []uint64{c.N, due.N},
			}
			if !c.IsModern() || took < 5e9 {
				f.Severity = diagnose.Note // only 2026-07-28 asks for an exit, and within no given time
			}
			c.ReportAs("", f)
		},
	},
	{
		id: "stdin-noise", on: diagnose.Noise,
		check: func(c *diagnose.Case) {
			if c.Dir == wire.ToServer {
				pollutes(c, "stdin")
			}
		},
	},
	{
		id: "server-too-early", on: diagnose.Questions | diagnose.Notifications,
		check: func(c *diagnose.Case) {
			if c.Dir != wire.ToClient || c.Facts == nil || c.Facts.Initialized != 0 || c.Facts.Calls > 0 ||
				c.Blind() || !assigned(c) {
				return
			}
			method := string(c.Message.Method)
			switch method {
			case mcp.Ping, mcp.NotifyMessage, mcp.NotifyProgress, mcp.NotifyCancelled:
				return
			}
			frames, when := []uint64{c.N}, "before the client sent any message"
			switch init := c.Facts.Init; {
			case init == nil && !startSeen(c) || init != nil && init.Refused:
				return
			case init == nil:
			case init.ResponseN == 0:
				frames, when = append(frames, init.N), "before its response to initialize ("+frame(init.N)+")"
			default:
				frames, when = append(frames, init.ResponseN), "before the client's notifications/initialized"
			}
			if method == mcp.Initialize {
				f := diagnose.Finding{Side: diagnose.Client, Frames: frames}
				f.Brief = "server echoes its input"
				f.Message = "What was started as the server sent the client's own " + quote(method) + " back (" + frame(c.N) + ")."
				advise(&f, "echoes its input")
				c.ReportAs("echo", f)
				return
			}
			c.Say(method, c.Server()+" sent "+quote(method)+" ("+frame(c.N)+") "+when+".", frames...)
		},
	},
}

func startSeen(c *diagnose.Case) bool {
	rows := c.Session.Rows()
	return overStdio(c) && len(rows) > 0 && c.Tracker().Row(int(rows[0])).Kind == session.RowProcess
}
