package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
)

var streamRefused = rule("stream-refused", diagnose.Refusals,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Verb != "GET" || c.Session == nil || c.Session.Transport != session.TransportHTTP ||
			c.Session.ID == "" {
			return
		}
		at := streamBefore(c)
		switch {
		case at == nil:
		case at.End == 0 && (x.Status == 409 || c.Refusal.Means(sdkwords.StreamExists)):
			secondStream(c)
		case at.End != 0 && x.RequestT > at.End &&
			(x.Status == 409 || x.Status == 400 && !blamesSession(c.Refusal) && !blamesMissingID(c.Refusal)):
			c.Say("", "The client's GET stream ("+frame(at.Request)+") had ended, and the server refused a new one ("+frame(x.RequestN)+") with "+number(x.Status)+": "+
				said(c.Refusal)+".",
				uint64(x.RequestN), uint64(x.ResponseN), uint64(at.Request))
		}
	})

// streamBefore is the latest GET stream of the session in hand that was served; nil for none.
func streamBefore(c *diagnose.Case) *session.Row {
	for _, r := range c.Latest(64) {
		if r.Kind == session.RowHTTP && int(r.Session) == c.Session.Index && r.X != c.Exchange.X && r.Status == 200 {
			return r
		}
	}
	return nil
}

// secondStream looks at a stream that was asked for while another is open. Servers may
// allow one of them only.
func secondStream(c *diagnose.Case) {
	x := c.Exchange
	f := diagnose.Finding{Severity: diagnose.Note, Side: diagnose.Client}
	f.Frames = []uint64{uint64(x.RequestN), uint64(x.ResponseN)}
	f.Message = c.Client() + " asked for a second GET stream (" + frame(x.RequestN) + ") while the first is open, and was refused with " + httpStatus(int(x.Status)) + because(c) + "."
	if row := oldest(c); row >= 0 {
		d, _ := c.Ledger.Of(int(row))
		f.Severity, f.Frames = diagnose.Warning, append(f.Frames, d.N)
		f.Message += " " + d.Method + " (" + frame(d.N) + ") waited for its response at that time."
	}
	advise(&f, "stream opened twice")
	c.ReportAs("second", f)
}
