package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverTooEarly = rule("server-too-early", diagnose.Questions|diagnose.Notifications, func(c *diagnose.Case) {
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
	c.Say(method, c.Server()+" sent "+quote(method)+" ("+frame(c.N)+") "+when+".", frames...)
})

// startSeen says whether the recording holds the start of the process in hand.
func startSeen(c *diagnose.Case) bool {
	rows := c.Session.Rows()
	return overStdio(c) && len(rows) > 0 && c.Tracker().Row(int(rows[0])).Kind == session.RowProcess
}
