package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var lineTooLong = rule("line-too-long", diagnose.Finish|diagnose.Lines,
	func(c *diagnose.Case) {
		switch {
		case !overStdio(c) || c.Blind():
		case c.Frame == nil:
			deafServer(c)
		case c.Message.IsResponse():
			if c.Row < 0 {
				return
			}
			if r := c.Tracker().Row(int(c.Row)); r.RLen >= longLine && len(*diagnose.Memory[longSeen](c)) < maxLong {
				made((*map[string]bool)(diagnose.Memory[longSeen](c)))[c.Tracker().Name(r.ID)] = true
			}
		case c.Message.Kind == wire.MsgNotification && string(c.Message.Method) == mcp.NotifyCancelled &&
			c.Dir == wire.ToServer && c.Tracker().Row(int(c.Row)).Parent < 0:
			deafClient(c)
		}
	})

// longSeen are the ids of the requests that had a long response.
type longSeen map[string]bool

const maxLong = 4096

// longLine is the smallest of the usual limits, in bytes.
const longLine = 64 << 10

// deafServer looks for a long request behind which the server said nothing.
func deafServer(c *diagnose.Case) {
	t := c.Tracker()
	var long *session.Row
	var hanging []uint64
	for _, i := range c.Session.Rows() {
		switch r := t.Row(int(i)); {
		case r.Kind == session.RowCall && r.Dir == wire.ToServer && r.Response == 0:
			if long == nil && r.Len >= longLine {
				long, hanging = r, nil
			}
			hanging = append(hanging, uint64(r.Request))
		case r.Kind == session.RowCall && r.Dir == wire.ToServer:
			if long != nil && r.End > long.T {
				long = nil
			}
		case long != nil && r.Dir == wire.ToClient &&
			(r.Kind == session.RowCall || r.Kind == session.RowNotification || r.Kind == session.RowNoise):
			long = nil
		}
	}
	if long == nil || len(hanging) < 2 && c.Session.Last-long.T < 5e9 {
		return
	}
	c.ReportAs("server", diagnose.Finding{
		Message: c.Client() + " sent a line of " + number(long.Len) + " bytes (" + frame(long.Request) + ", " + t.Name(long.Name) + "), which is above " +
			limitBelow(long.Len) + ". The server sent nothing afterwards, and " + words.CountOf(len(hanging), "call has", "calls have") + " no response.",
		Frames: hanging,
	})
}

// deafClient looks at the cancellation of a request that had a long response.
func deafClient(c *diagnose.Case) {
	id := string(c.Param("requestId"))
	if !(*diagnose.Memory[longSeen](c))[id] {
		return
	}
	r := latestCall(c, wire.ToServer, func(_ *session.Row, other string) bool { return other == id })
	if r == nil || r.Response == 0 || r.RLen < longLine || c.T-r.End < 1e9 {
		return
	}
	c.ReportAs("client", diagnose.Finding{
		Side: diagnose.Client,
		Message: c.Client() + " gave up on " + c.Tracker().Name(r.Name) + " (" + frame(r.Request) + ") in " + frame(c.N) + ". Its response (" +
			frame(r.Response) + ") had arrived " + seconds(c.T-r.End) + " before, in a line of " + number(r.RLen) + " bytes, which is above " + limitBelow(r.RLen) + ".",
		Frames: []uint64{c.N, uint64(r.Response), uint64(r.Request)},
	})
}

// limitBelow names the largest of the usual limits that a length exceeds.
func limitBelow(n uint32) string {
	switch {
	case n >= 16<<20:
		return "16 MiB, the limit of the Go SDK"
	case n >= 10<<20:
		return "10 MiB, the limit of the TypeScript SDK"
	case n >= 4<<20:
		return "4 MiB, a usual limit"
	case n >= 1<<20:
		return "1 MiB, a usual limit"
	}
	return "64 KiB, the default of Python's asyncio and Go's bufio.Scanner"
}
