package rules

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
	"midwire/session/words"
)

var serverExited = rule("server-exited", diagnose.Processes|diagnose.Stderr|diagnose.Noise, func(c *diagnose.Case) {
	p := hear(c)
	hearPrinted(c)
	if c.Kind == session.EventStderr || c.Kind == noiseKind {
		return
	}
	end, over := exitOf(c)
	in := c.Ledger.Pipes()
	closedFirst := in.Stdin != 0 && in.StdinBy == wire.ByClient && (in.Stdout == 0 || in.Stdin < in.Stdout)
	killed := end.killed(c) && c.Session.Pending > 0
	greeted := c.Facts.Init != nil && c.Facts.Init.OK && c.Facts.Calls == 0 // and asked for nothing yet
	if !over || closedFirst || end.asked() && !killed || c.Session.Probe ||
		end.code == 0 && c.Session.Pending == 0 && !greeted {
		return
	}
	f := diagnose.Finding{
		Side:    diagnose.Server,
		Message: c.Server() + " " + end.words() + " (" + frame(c.N) + ")" + lifetime(c) + ".",
		Frames:  append([]uint64{c.N}, waiting(c)...),
	}
	if n := c.Session.Pending; n > 0 {
		f.Message += " " + words.CountOf(n, "call was", "calls were") + " without a response."
	}
	q := openQuestion(c, -1)
	waited := q != nil && c.T-q.T >= 1e9
	if waited {
		f.Message += " Its own " + q.Method + " (" + frame(q.N) + ") had waited " + seconds(c.T-q.T) + " for the client's response."
		f.Frames = append(f.Frames, q.N)
	}
	said, stream, frames := spoke(c)
	if said != "" {
		f.Message += " The last lines on " + stream + ": " + quoteLong(said) + "."
		f.Frames = append(f.Frames, frames...)
	} else {
		f.Message += " It wrote nothing to stderr."
	}
	a := p.explain(said, end)
	f.Cause, f.Remedies = a.cause, a.fix
	switch {
	case waited && a.cause == "" && end.signal == "":
		f.Side, f.Confidence = diagnose.Client, diagnose.Likely
		advise(&f, "question of the server unanswered")
	case c.Facts.LastOK != 0 &&
		(c.Facts.Init == nil || c.Facts.LastOK != c.Facts.Init.ResponseT || a.side == diagnose.Unclear):
	case a.cause != "":
		f.Side = cmp.Or(a.side, ownSide(said, false))
	case end.code == 0 && end.signal == "": // it had nothing more to do
		f.Side, f.Confidence = diagnose.Client, diagnose.Likely
		advise(&f, "ended without serving")
		if p.launched() && said != "" {
			advise(&f, "its starter ended")
			f.Side = diagnose.Unclear
		}
	case p.blamed(said):
		advise(&f, "names its own argument")
		f.Confidence = diagnose.Likely
	case said != "" && p.launched(): // the words may be of what was to start the server
		f.Side, f.Confidence = diagnose.Unclear, diagnose.Possible
		advise(&f, "its starter failed, or it did")
	case said != "":
		f.Confidence = diagnose.Likely // it may lack what only its words tell
	}
	if said == "" && f.Cause == "" {
		f.Confidence = diagnose.Likely
		advise(&f, "ended in silence")
	}
	if killed {
		f.Side, f.Confidence = diagnose.Server, diagnose.Likely
		advise(&f, "killed from outside")
	}
	c.ReportAs("", f)
})

func (e exit) words() string {
	if e.signal != "" {
		return "was killed by " + e.signal
	}
	return "exited with code " + number(e.code)
}

// lifetime says how far the session in hand had come.
func lifetime(c *diagnose.Case) string {
	switch init := c.Facts.Init; {
	case init != nil && init.ResponseN == 0:
		return " before it responded to initialize"
	case init == nil && c.Facts.LastOK == 0:
		return " before it responded to any request"
	case c.Facts.Calls == 0:
		return " right after the handshake, and the client had not closed stdin"
	}
	return ""
}

// openQuestion is the oldest request of the server that is open, in the course of a row or -1; nil for none.
func openQuestion(c *diagnose.Case, row int32) *ledger.Debt {
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if d.Kind == ledger.Response && d.Owes == wire.ToServer && (row < 0 || d.For < 0 || d.For == row) {
			return &d
		}
	}
	return nil
}

// waiting are the frames of the calls that have no response, the latest first.
func waiting(c *diagnose.Case) []uint64 {
	var frames []uint64
	for _, d := range slices.Backward(c.Ledger.Open(c.Session.Index)) {
		if d.Kind == ledger.Response && len(frames) < 8 {
			frames = append(frames, d.N)
		}
	}
	return frames
}
