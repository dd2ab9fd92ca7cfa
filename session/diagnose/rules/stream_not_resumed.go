package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var streamNotResumed = rule("stream-not-resumed", onGivingUp|diagnose.Finish, func(c *diagnose.Case) {
	if c.N == 0 {
		notResumed(c)
		return
	}
	g, ok := gaveUp(c)
	if !ok || g.Owes == wire.ToServer {
		return
	}
	if r, ok := resumption(c, g.Row); ok && c.T-max(r.T, r.Due) > 3e9 {
		c.Say("", g.begin(c)+" "+promise(&r), c.N, g.N, r.N)
	}
})

// resumption is what the client owes for the response to a call: to come back for its
// stream.
func resumption(c *diagnose.Case, row int32) (ledger.Debt, bool) {
	chain := c.Ledger.Chain(int(row))
	if len(chain) < 2 || chain[1].Kind != ledger.Resume {
		return ledger.Debt{}, false
	}
	return chain[1], true
}

func promise(r *ledger.Debt) string {
	return "The server had ended the stream of the response (" + frame(r.N) + "), whose events had ids, and the client did not ask for the rest with Last-Event-ID."
}

// notResumed looks for a client that goes on otherwise when the recording ends.
func notResumed(c *diagnose.Case) {
	if c.Blind() {
		return
	}
	_, alive := c.Ledger.Heard(c.Session.Index, wire.ToServer)
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if d.Kind != ledger.Resume || alive-max(d.T, d.Due) < 10e9 {
			continue
		}
		call, _ := c.Ledger.Of(int(d.Row))
		c.Say("", quote(d.Method)+" ("+frame(call.N)+") had no response until the recording ends. "+promise(&d), call.N, d.N)
		return
	}
}
