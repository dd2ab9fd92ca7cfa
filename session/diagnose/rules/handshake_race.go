package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var handshakeRace = rule("handshake-race", diagnose.Results|diagnose.Refusals, func(c *diagnose.Case) {
	in := initOf(c)
	if c.Call == nil || in == nil || c.Call.Modern || c.Call.Dir != '>' || exempt[c.Call.Method] ||
		c.Call.N < in.N {
		return
	}
	pipelined := in.ResponseN == 0 || c.Call.N < in.ResponseN
	// TypeScript servers do not wait for notifications/initialized: their
	// "Server not initialized" has another cause then.
	eager := !pipelined && (c.Facts.Initialized == 0 || c.Call.N < c.Facts.Initialized) &&
		(c.Refusal == nil || !c.Refusal.Means(sdkwords.InitializeMissing))
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
	when := "before initialize (" + frame(in.N) + ") got its response"
	if eager {
		when = "before notifications/initialized"
	}
	f.Message = c.Client() + " sent " + c.Call.Method + " (" + frame(c.Call.N) + ") " + when
	switch {
	case c.Refusal != nil && blamesHandshake(c.Refusal):
		f.Message += ", and the server refused it: " + said(c.Refusal) + "."
		if eager && c.Facts.Initialized == 0 {
			otherwise(c, &f)
		}
		c.ReportAs("refused", f)
	case c.Refusal == nil && pipelined && in.ResponseN != 0:
		f.Message += ". This server responded; other servers do not."
		f.Severity = diagnose.Warning
		c.ReportAs("served", f)
	}
})

// otherwise says by what name the client may have sent notifications/initialized.
func otherwise(c *diagnose.Case, f *diagnose.Finding) {
	in := c.Facts.Init
	other := latest(c, func(r *session.Row) bool {
		n := uint64(r.Request)
		return r.Kind == session.RowNotification && r.Dir == wire.ToServer && n > in.N && n < c.Call.N
	})
	if other == nil {
		return
	}
	f.Frames = append(f.Frames, uint64(other.Request))
	f.Message += " It had sent " + quote(c.Tracker().Name(other.Name)) + " (" + frame(other.Request) + ") instead of notifications/initialized."
}

// exempt are the requests that may come at any time of the handshake.
var exempt = map[string]bool{mcp.Initialize: true, mcp.Ping: true, mcp.Discover: true}
