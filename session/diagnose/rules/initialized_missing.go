package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
)

var initializedMissing = &diagnose.Rule{
	ID:       "initialized-missing",
	Title:    "The client never sent notifications/initialized",
	Brief:    "no initialized notification",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Right:    &diagnose.Right{Step: "initialized", Does: "send notifications/initialized"},
	On:       diagnose.Finish,
	Covers:   []string{"server-too-early*"},
	Check: func(c *diagnose.Case) {
		f := c.Facts
		if !f.Negotiated() || f.Initialized != 0 || c.Blind() || !assigned(c) {
			return
		}
		d, ok := c.Ledger.Other(ledger.Handshake, int(f.Init.Row))
		if !ok || d.Times == 0 || !d.Missing() {
			return
		}
		r := c.Tracker().Row(int(d.Went[0]))
		c.Say("", c.Server()+" responded to initialize ("+frame(f.Init.ResponseN)+"). The client went on with "+quote(c.Tracker().Name(r.Name))+" ("+frame(r.Request)+") and never sent notifications/initialized.",
			uint64(r.Request), f.Init.ResponseN)
	},
}
