package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
)

var initializedMissing = rule("initialized-missing", diagnose.Finish, func(c *diagnose.Case) {
	f := c.Facts
	if !f.Negotiated() || f.Initialized != 0 || c.Blind() || !assigned(c) {
		return
	}
	d, ok := c.Ledger.Other(ledger.Handshake, int(f.Init.Row))
	if !ok || d.Times == 0 || !d.Missing() {
		return
	}
	r := c.Tracker().Row(int(d.Went[0]))
	method := c.Tracker().Name(r.Name)
	if strings.HasPrefix(method, mcp.NotificationPrefix) || noTime(c, r) {
		return
	}
	c.Say("", c.Server()+" responded to initialize ("+frame(f.Init.ResponseN)+"). The client went on with "+quote(method)+" ("+frame(r.Request)+") and never sent notifications/initialized.",
		uint64(r.Request), f.Init.ResponseN)
})

// noTime says whether the session ended with a request: what else the client would have
// sent is not known.
func noTime(c *diagnose.Case, r *session.Row) bool {
	return r.Ending.Lost() && r.End-r.T < 1e9 && c.Facts.LastOK < r.T
}
