package rules

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/operation"
	"midwire/session/wire"
)

// responseIDDiffers is about ids that one side cannot hold or keep as they were sent: beyond 2^53,
// with a fraction, or of another JSON type.
var responseIDDiffers = rule("response-id-differs",
	diagnose.Results|diagnose.Errors|diagnose.Strays|diagnose.Finish, func(c *diagnose.Case) {
		switch {
		case c.N == 0:
			unheldIDs(c)
		case !assigned(c) || noID(c):
		case c.Call != nil:
			if id := string(c.Message.ID); c.Call.ID != id && otherType(c.Call.ID, id) {
				f := diagnose.Finding{Says: "type", Side: c.Sender(), Severity: diagnose.Warning}
				f.Frames, f.With = []uint64{c.N, c.Call.N}, fill{"got": raw(id), "sent": raw(c.Call.ID)}
				c.ReportAs("type", f)
			}
		default:
			id := string(c.Message.ID)
			r := latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
				return r.Response == 0 && unfit(other) && roundsTo(other, id)
			})
			if r == nil {
				return
			}
			f := diagnose.Finding{Says: "rounded", Side: sideOf(c.Dir.Opposite()), Frames: []uint64{c.N, uint64(r.Request)}}
			f.With = fill{"op": c.Tracker().Name(r.Name), "asked": r.Request, "got": raw(id), "sent": raw(c.Tracker().Name(r.ID))}
			c.ReportAs("rounded", f)
		}
	})

// unheldIDs reports requests without a response whose ids a peer may not be able to hold.
func unheldIDs(c *diagnose.Case) {
	if c.Session == nil || c.Blind() {
		return
	}
	for _, o := range badOf(c) {
		r := c.Tracker().Row(o.Members[0].Row)
		id := c.Tracker().Name(r.ID)
		if o.Came != operation.Silent || o.Dir != wire.ToServer || !unfit(id) {
			continue
		}
		c.ReportAs("unanswered", diagnose.Finding{
			Says: "unanswered", Side: diagnose.Client, Frames: []uint64{uint64(r.Request)},
			With: fill{"op": c.Tracker().Name(r.Name), "asked": r.Request, "sent": raw(id)},
		})
	}
}

// unfit reports whether an id is a number that many peers cannot hold: JSON numbers become
// floating-point ones in JavaScript, and integers in others.
func unfit(id string) bool {
	x, err := strconv.ParseFloat(id, 64)
	return err == nil && (x >= 1<<53 || x <= -1<<53 || strings.ContainsAny(id, ".eE"))
}

// roundsTo reports whether an id is what a peer makes of another that it cannot hold.
func roundsTo(sent, got string) bool {
	x, err1 := strconv.ParseFloat(sent, 64)
	y, err2 := strconv.ParseFloat(strings.Trim(got, `"`), 64)
	return err1 == nil && err2 == nil && (x == y || float64(int64(x)) == y)
}
