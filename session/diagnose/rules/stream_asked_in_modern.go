package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var streamAskedInModern = &diagnose.Rule{
	ID:       "stream-asked-in-modern",
	Title:    "A client of 2026-07-28 requests a stream with GET",
	Brief:    "GET stream asked for",
	Severity: diagnose.Note,
	Side:     diagnose.Client,
	Era:      diagnose.Modern,
	On:       diagnose.OtherRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "GET" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() || !isMCP(c) {
			return
		}
		c.Say("", c.Client()+" of protocol version "+string(c.Session.ProtocolVersion)+" sent "+target(x)+" for an event stream ("+frame(x.RequestN)+").",
			uint64(x.RequestN))
	},
}
