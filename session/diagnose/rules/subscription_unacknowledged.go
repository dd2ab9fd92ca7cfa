package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var subscriptionUnacknowledged = rule("subscription-unacknowledged", diagnose.Notifications|diagnose.Results|diagnose.Settled, checkAcknowledged)

func checkAcknowledged(c *diagnose.Case) {
	row := c.Row
	if c.Call == nil { // of a notification
		row = c.Tracker().Row(int(row)).Parent
		for _, d := range c.Ledger.Open(c.Session.Index) {
			if d.Kind == ledger.Acknowledgement && d.Times == 1 && d.Went[0] == c.Row {
				row = d.Row // on stdio it names its subscription
			}
		}
	}
	d, ok := c.Ledger.Other(ledger.Acknowledgement, int(row))
	switch {
	case !ok || d.Paid() || c.Blind():
	case c.Call == nil && d.Times == 1 && d.Went[0] == c.Row:
		unacknowledged(c, &d, quote(string(c.Message.Method)))
	case c.Call == nil || d.Times > 0:
	case c.Kind == session.EventSettled && !overStdio(c):
		nothingCame(c, &d)
	case c.Kind == session.EventMessage && c.Message.Kind == wire.MsgResult && c.Facts.ServesModern:
		unacknowledged(c, &d, "its response")
	}
}

func unacknowledged(c *diagnose.Case, d *ledger.Debt, what string) {
	t := c.Tracker()
	c.Say("", "The first message of the subscription "+t.Name(t.Row(int(d.Row)).ID)+" ("+frame(d.N)+") is "+what+" ("+frame(c.N)+"), instead of its acknowledgement.",
		c.N, d.N)
}

// nothingCame looks at a subscription over HTTP that the client gave up.
func nothingCame(c *diagnose.Case, d *ledger.Debt) {
	waited := d.Wait(c.T)
	if waited < 3e9 || rowOf(c).Status != 0 {
		return
	}
	c.ReportAs("nothing", diagnose.Finding{
		Confidence: diagnose.Likely,
		Message:    c.Client() + " sent subscriptions/listen (" + frame(d.N) + ") and closed the connection after " + seconds(waited) + ": not even the head of a response had come, and no acknowledgement.",
		Cause:      "A gateway or a handler collects the whole response before it sends anything. The stream of a subscription has no end, so nothing ever comes.",
		Remedies:   either("pass on an event stream as it comes, head and acknowledgement at once, without buffering. A server that has no changes to tell should not offer listChanged.", diagnose.Gateway, diagnose.Server),
		Frames:     []uint64{c.N, d.N},
	})
}
