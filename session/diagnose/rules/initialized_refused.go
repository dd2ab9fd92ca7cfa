package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var initializedRefused = rule("initialized-refused", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Calls > 0 || x.Messages == 0 || c.Facts == nil || !c.Facts.Negotiated() ||
		!posted(c, mcp.NotifyInitialized) {
		return
	}
	switch x.Status {
	case 401, 403, 406, 415, 421, 429, 502, 503, 504:
		return // not for what the message is
	}
	id := x.Header(mcp.HeaderSessionID)
	if aboutSession(c) && !c.Refusal.Says(mcp.NotifyInitialized) || blamesVersion(c.Refusal) ||
		id == "" && c.Session.ID != "" ||
		id != "" && x.Status == 404 && !c.Refusal.Says("method", mcp.NotifyInitialized, "unsupported", "unknown") {
		return // the session is the trouble
	}
	c.Say("", c.Client()+" ended the handshake with notifications/initialized ("+frame(x.RequestN)+"), and the server responded with "+httpStatus(int(x.Status))+" instead of 202: "+quote(plain(c.Refusal.Text))+".",
		uint64(x.ResponseN), uint64(x.RequestN), c.Facts.Init.ResponseN)
})

// posted says whether the exchange in hand carried that notification. When it
// was refused with a JSON-RPC error, the row in hand is that of the error.
func posted(c *diagnose.Case, name string) bool {
	for _, r := range c.Latest(32) {
		if r.X == c.Exchange.X && r.Kind == session.RowNotification {
			return c.Tracker().Name(r.Name) == name
		}
	}
	return false
}
