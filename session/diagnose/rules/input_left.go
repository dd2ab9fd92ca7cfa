package rules

import (
	"slices"

	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var inputLeft = rule("input-left", diagnose.ModernRequests|diagnose.ModernResults|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[inputs](c)
		switch {
		case c.N == 0:
			s.report(c)
		case c.Call == nil || c.Call.Dir != wire.ToServer:
		case c.Message.Kind == wire.MsgRequest:
			s.ask(c)
		case resultType(c) == "input_required":
			s.note(c)
		}
	})

// inputs are the questions in results that wait for their answers.
type inputs struct {
	rounds
	bare int // how often in a row it sent a call again without answers
}

// ask takes a request: it may be the next round of one before.
func (s *inputs) ask(c *diagnose.Case) {
	bare := c.Param("inputResponses") == nil && c.Param("requestState") == nil
	for i := range s.open {
		n := &s.open[i]
		if !n.continues(c) {
			continue
		}
		if s.bare++; !bare {
			s.bare = 0
		}
		if s.bare >= 2 && len(n.keys) > 0 { // once it may be a new call
			c.ReportAs("again", diagnose.Finding{
				Message: c.Client() + " sent " + about(c.Call) + " again and again, without the inputResponses that the result before asked for (" + frame(n.n) + "). The server can only ask once more.",
				Frames:  []uint64{c.N, n.n, n.askedN},
			})
		}
		s.open = append(s.open[:i], s.open[i+1:]...)
		return
	}
}

func (s *inputs) report(c *diagnose.Case) {
	if c.Blind() {
		return
	}
	for _, d := range c.Ledger.Missing(c.Session.Index, c.T) {
		if d.Kind != ledger.Input { // those of others may be about no row
			continue
		}
		asked := uint64(c.Tracker().Row(int(d.Row)).Request)
		switch {
		case d.Name != "":
			c.ReportAs("task", diagnose.Finding{
				Message: "The task " + quote(d.Name) + " is input_required and asks for " + quote(d.Asks) + " (" + frame(d.N) + "). " + c.Client() +
					" did not answer: it never sent tasks/update, in the " + seconds(d.Wait(c.T)) + " until the session ended.",
				Frames: []uint64{d.N, asked},
			})
		case d.Times == 0:
			what, seen := d.Method, slices.IndexFunc(s.open, func(n round) bool { return n.n == d.N })
			if seen >= 0 && s.open[seen].target != "" {
				what += " " + quote(s.open[seen].target)
			}
			c.ReportAs("", diagnose.Finding{
				Message: "The result of " + what + " (" + frame(asked) + ") is input_required: it asks for " + countQuestions(d.Questions) +
					" (" + frame(d.N) + "). " + c.Client() +
					" did not answer: it never sent the call again with inputResponses, in the " + seconds(d.Wait(c.T)) + " until the session ended, and asked for nothing else.",
				Frames: []uint64{d.N, asked},
			})
		}
	}
}

func countQuestions(n int) string {
	if n == 1 {
		return "the answer to a question"
	}
	return "the answers to " + number(n) + " questions"
}
