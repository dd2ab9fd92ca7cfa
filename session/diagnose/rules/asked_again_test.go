package rules

import (
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/notes"
)

// TestAskedAgain: what asking again came to is certain; what was likely or possible about the
// request follows from it, what was certain of the same side stays the cause, and what is
// told later replaces it.
func TestAskedAgain(t *testing.T) {
	const refused = `< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"unexpected"}}
`
	play := func(text string) (*session.Tracker, *diagnose.Checker) {
		t.Helper()
		s, err := transcript.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		tr, c := diagnose.New(session.Options{Tap: s.Tap}, All())
		for _, f := range s.Frames {
			tr.Apply(f)
		}
		c.Finish()
		return tr, c
	}
	tell := func(tr *session.Tracker, c *diagnose.Checker, row int, a notes.Asked) {
		n, changes := notes.New(), notes.Changes{}
		changes.SetAsked(tr.Row(row), a)
		n.Apply(changes)
		Tell(c, n)
	}
	verdict := func(tr *session.Tracker, c *diagnose.Checker) diagnose.Verdict {
		return c.Verdict(tr.Sessions()[0], c.Findings())
	}
	last := func(tr *session.Tracker) int {
		for i := tr.Rows() - 1; ; i-- {
			if tr.Row(i).Kind == session.RowCall {
				return i
			}
		}
	}

	tr, c := play(began + called + refused + over)
	before := verdict(tr, c)
	tell(tr, c, last(tr), notes.Asked{Says: "It is refused to everybody."})
	if v := verdict(tr, c); v != before {
		t.Errorf("what is not certain changes the verdict: %v", v)
	}
	tell(tr, c, last(tr), notes.Asked{Says: "The cause is that n is left out.", Side: "server", Certain: true})
	if v := verdict(tr, c); v.Rule != "asked-again" || v.Side != diagnose.Server || !v.Known {
		t.Errorf("before %v, now %v", before, v)
	}
	if roots := c.Findings(); len(roots) != 1 || len(roots[0].Follows) == 0 {
		t.Errorf("%d roots", len(roots))
	}
	tell(tr, c, last(tr), notes.Asked{Says: "The cause is another.", Side: "client", Certain: true})
	if roots := c.Findings(); len(roots) != 1 || roots[0].Side != diagnose.Client {
		t.Errorf("%d roots, the first of %v", len(roots), roots[0].Side)
	}

	tr, c = play("tap stdio\nstart {\"command\":[\"s\"]}\n" + toolsRefused + over)
	tell(tr, c, last(tr), notes.Asked{Says: "The cause is that there is no initialize.", Side: "client", Certain: true})
	if v := verdict(tr, c); v.Rule != "handshake-skipped" {
		t.Errorf("what was certain is not the cause any more: %v", v)
	}
}

const toolsRefused = `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"method \"tools/list\" is invalid during session initialization"}}
`
