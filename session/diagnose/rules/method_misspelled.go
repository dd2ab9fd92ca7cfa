package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var methodMisspelled = rule("method-misspelled", diagnose.Notifications|diagnose.Errors, func(c *diagnose.Case) {
	sent := string(c.Message.Method)
	f := diagnose.Finding{Side: sender(c), Frames: []uint64{c.N}}
	if c.Message.Kind != wire.MsgNotification { // a server may know the other name too
		if c.Call == nil {
			return
		}
		sent, f.Side, f.Frames = c.Call.Method, sideOf(c.Call.Dir), []uint64{c.Call.N, c.N}
	}
	meant := mcp.Misspelled(sent, c.Message.Kind == wire.MsgNotification)
	if meant == "" {
		return
	}
	f.Message = c.Named(f.Side) + " sent " + quote(sent) + " (" + frame(f.Frames[0]) + "). The protocol has no such method; it is called " + quote(meant)
	if c.Message.Kind == wire.MsgNotification {
		f.Message += ", and nobody has to tell the sender: the notification has no effect"
	} else {
		f.Message += ", and the request was refused (" + frame(c.N) + ")"
	}
	f.Message += "."
	if init := initOf(c); meant == mcp.NotifyInitialized && init != nil && init.ResponseN != 0 {
		f.Frames = append(f.Frames, init.ResponseN)
		f.Message += " The server goes on waiting for the end of the handshake, and may refuse all that follows."
	}
	c.ReportAs(sent, f)
})
