package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var handshakeRace = &diagnose.Rule{
	ID:       "handshake-race",
	Title:    "The client did not wait for the handshake to be complete",
	Severity: diagnose.Error,
	Fault:    diagnose.Client,
	Era:      diagnose.Handshake,
	Lint:     "F03 L-12",
	Help: diagnose.Help{
		Means: "A request was sent while initialize was still on its way, or before notifications/initialized. Servers may refuse it, and many do; whether it works is a matter of milliseconds.",
		Wire:  `A request stands between initialize and its answer, or between the answer and notifications/initialized, and gets "Received request before initialization was complete", "Invalid request parameters" or "method … is invalid during session initialization".`,
		Cause: "Requests are sent in parallel with the handshake: a fan-out over several servers that does not wait, a gateway that replays a request it had kept, a client that writes to the transport itself.",
		Fix:   "In the client: wait for the answer to initialize, then send notifications/initialized, and only then anything else. SDK clients do so in connect(); wait for it.",
		Spec:  "2025-11-25 basic/lifecycle: Initialization",
		Example: `> {"id":0,"method":"initialize",…}
> {"id":1,"method":"tools/list"}
< {"id":0,"result":{…}}
< {"id":1,"error":{"code":-32602,"message":"Invalid request parameters"}}`,
	},
	On:     diagnose.Results | diagnose.Refusals,
	Covers: []string{"initialized-missing*"},
	Check: func(c *diagnose.Case) {
		in := initOf(c)
		if c.Call == nil || in == nil || c.Call.Modern || c.Call.Dir != '>' || exempt[c.Call.Method] ||
			c.Call.N < in.N {
			return
		}
		pipelined := in.ResponseN == 0 || c.Call.N < in.ResponseN
		// TypeScript servers do not wait for notifications/initialized: their
		// "Server not initialized" has another cause then.
		eager := !pipelined && (c.Facts.Initialized == 0 || c.Call.N < c.Facts.Initialized) &&
			(c.Refusal == nil || !c.Refusal.Says("server not initialized"))
		if !pipelined && !eager {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.Call.N, in.N}}
		if in.ResponseN != 0 {
			f.Frames = append(f.Frames, in.ResponseN)
		}
		if c.Facts.Initialized != 0 {
			f.Frames = append(f.Frames, c.Facts.Initialized)
		}
		when := "before initialize (" + frame(in.N) + ") was answered"
		if eager {
			when = "before notifications/initialized"
		}
		f.Message = "The client sent " + c.Call.Method + " (" + frame(c.Call.N) + ") " + when
		switch {
		case c.Refusal != nil && blamesHandshake(c):
			f.Message += ", and the server refused it: " + quote(c.Refusal.Text) + "."
			c.ReportAs("refused", f)
		case c.Refusal == nil && pipelined && in.ResponseN != 0:
			f.Message += ". This server answered all the same; others do not."
			f.Severity = diagnose.Warning
			c.ReportAs("served", f)
		}
	},
}

// exempt are the requests that may come at any time of the handshake.
var exempt = map[string]bool{mcp.Initialize: true, mcp.Ping: true, mcp.Discover: true}
