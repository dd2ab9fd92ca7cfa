package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamLoop = &diagnose.Rule{
	ID:         "stream-loop",
	Title:      "The client opens the GET stream again and again, and nothing comes of it",
	Severity:   diagnose.Warning,
	Side:       diagnose.Server,
	Confidence: diagnose.Likely,
	Era:        diagnose.Handshake,
	From:       mcp.V20250326,
	On:         diagnose.SSE | diagnose.StreamEnds,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Session == nil || isSSE(c) {
			return
		}
		pause := diagnose.State[int64](c) // nanoseconds, as the server asked for at last
		if c.Kind == sseKind {
			if ms, err := strconv.ParseInt(c.SSE.Retry, 10, 32); err == nil {
				*pause = ms * 1e6
			}
			return
		}
		if x.Verb != "GET" || !isMCP(c) || x.Status == 0 || x.Status == 401 || x.Status == 404 {
			return
		}
		id, in := x.Header(mcp.HeaderLastEventID), c.Session.Index
		what := hashOf(x.Path, id)
		if id == "" && x.Events > 0 {
			c.Progress(in, what) // something came
			return
		}
		s := c.Again(in, what, uint64(x.Status)<<1)
		asked := *pause > 0 && s.Every() >= *pause-max(*pause/10, 20e6)
		if s.Count < 5 || s.Every() > 5e9 || asked {
			return
		}
		reportStreamLoop(c, s, id)
	},
}

func reportStreamLoop(c *diagnose.Case, s *diagnose.Streak, id string) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append(headFrames(x), s.Frames...)}
	f.Message = c.Client() + " opened the GET stream (" + frame(x.RequestN) + ") " + often(s)
	if id != "" {
		f.Message += ", each time with the Last-Event-ID " + quote(id)
	}
	switch {
	case x.Status >= 400:
		f.Side = diagnose.Client
		f.Message += ". The server refused it with " + httpStatus(int(x.Status)) + " each time."
	case c.By == wire.ByClient:
		f.Side = diagnose.Client
		f.Message += ", and closed it itself each time."
	default:
		f.Message += ". Each time the stream ended without a new event."
	}
	c.ReportAs("", f)
}
