package rules

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeLoop = &diagnose.Rule{
	ID: "initialize-loop", On: diagnose.Requests, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || c.Session == nil {
			return
		}
		who := hashOf(wire.Get(c.Call.Params, "clientInfo"), []byte(c.Session.Endpoint))
		begun := made(diagnose.Memory[map[uint64]beginning](c))
		before, again := begun[who]
		if len(begun) < 1024 || again {
			begun[who] = beginning{c.Session.Index, c.Row}
		}
		if !again {
			return
		}
		what, failed := before.failure(c)
		if failed == nil {
			c.Progress(-1, who)
			return
		}
		s := c.Again(-1, who, what)
		if s.Count < 3 || s.Every() > 60e9 {
			return
		}
		// The first of them shows it: sessions of one loop have one finding.
		c.ReportAs(number(who>>1), diagnose.Finding{
			Message: c.Client() + " sent initialize (" + frame(c.N) + ") once more, after the same failure " + often(s) + ": " +
				quote(c.Tracker().Name(failed.Name)) + " (" + frame(failed.Request) + ") " + howFailed(failed) + ".",
			Frames: append(slices.Clone(s.Frames), uint64(failed.Request)),
		})
	},
}

// beginning is the latest initialize of a client.
type beginning struct {
	session int
	row     int32
}

// failure is what went wrong after an beginning, nil when something went well, or
// nothing wrong. What went wrong the same way has the same hash.
func (a beginning) failure(c *diagnose.Case) (uint64, *session.Row) {
	facts := c.FactsOf(a.session)
	if facts == nil {
		return 0, nil
	}
	rows := facts.Session.Rows()
	var failed *session.Row
	for i := len(rows) - 1; i >= 0 && int32(rows[i]) >= a.row; i-- {
		r := c.Tracker().Row(int(rows[i]))
		switch {
		case len(rows)-i > 64:
			return 0, nil // much happened
		case int32(rows[i]) == c.Row || r.Dir != wire.ToServer:
		case r.Kind != session.RowCall && r.Kind != session.RowHTTP:
		case bad(r, c.T):
			if failed == nil {
				failed = r
			}
		case r.Kind == session.RowCall && r.Ending == session.Served && !exempt[c.Tracker().Name(r.Name)]:
			return 0, nil
		}
	}
	if failed == nil || failed.Status == 401 { // a login is another matter
		return 0, nil
	}
	h := hashOf(c.Tracker().Name(failed.Name), number(failed.Status), number(failed.Code), howFailed(failed))
	return h, failed
}

// bad says whether an exchange failed for good, or a call has waited for long.
func bad(r *session.Row, now int64) bool {
	return r.Ending.Bad() || r.Ending.GaveUp() || r.Ending.Open() && r.Kind == session.RowCall && now-r.T > 3e9
}

func howFailed(r *session.Row) string {
	switch {
	case r.Code != 0:
		return "got the error " + number(r.Code)
	case r.Status >= 400:
		return "got " + httpStatus(int(r.Status))
	case r.Ending.GaveUp():
		return "was cancelled"
	}
	return "got no response"
}
