package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamLoop = rule("stream-loop", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if c.Session == nil || isSSE(c) {
		return
	}
	s := diagnose.State[getStreams](c)
	if c.Kind == sseKind {
		if ms, err := strconv.ParseInt(c.SSE.Retry, 10, 32); err == nil {
			s.pause = ms * 1e6
		}
		if _, ok := wire.ScanMessage(c.SSE.Data); ok {
			s.message = x.X
		}
		return
	}
	if x.Verb != "GET" || !isMCP(c) || x.Status == 0 || x.Status == 401 || x.Status == 404 {
		return
	}
	id, in := x.Header(mcp.HeaderLastEventID), c.Session.Index
	what := hashOf(x.Path, id)
	if id == "" && s.message == x.X {
		c.Progress(in, what) // something came
		return
	}
	again := c.Again(in, what, uint64(x.Status)<<1)
	asked := s.pause > 0 && again.Every() >= s.pause-max(s.pause/10, 20e6)
	if again.Count < 5 || again.Every() > 5e9 || asked {
		return
	}
	reportStreamLoop(c, again, id)
})

type getStreams struct {
	pause   int64  // nanoseconds, as the server asked for at last
	message uint32 // the latest exchange with a message; what else comes keeps a stream alive
}

func reportStreamLoop(c *diagnose.Case, s *diagnose.Streak, id string) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append(headFrames(x), s.Frames...)}
	f.Message = c.Client() + " opened the GET stream (" + frame(x.RequestN) + ") " + often(s)
	if id != "" {
		f.Message += ", each time with the Last-Event-ID " + quote(id)
	}
	switch {
	case x.Status == 405:
		f.Side = diagnose.Client
		f.Message += ". The server refused it with HTTP 405 each time: it has no such stream, which it may."
	case x.Status >= 400:
		f.Message += ". The server refused it with " + httpStatus(int(x.Status)) + " each time. Only 405 says that there is no such stream, and clients try again after anything else."
	case c.By == wire.ByClient:
		f.Side = diagnose.Client
		f.Message += ", and closed it itself each time."
	default:
		f.Message += ". Each time the stream ended without a new event."
	}
	c.ReportAs("", f)
}
