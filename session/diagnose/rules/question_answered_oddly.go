package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var questionAnsweredOddly = &diagnose.Rule{
	ID:      "question-answered-oddly",
	On:      diagnose.Replies | diagnose.FailedCalls,
	Methods: []string{mcp.ElicitationCreate, mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		s := diagnose.State[answers](c)
		switch {
		case c.Call == nil:
		case c.Dir == wire.ToServer && c.Call.Method == mcp.ElicitationCreate && c.Message.Kind == wire.MsgResult:
			s.take(c)
		case c.Dir == wire.ToClient && c.Call.Method == mcp.ToolsCall && s.refused != 0 && failure(c) != "":
			s.judged(c)
		}
	},
}

// answers are those of a session to the questions of the server.
type answers struct {
	refused uint64 // frame of the latest decline or cancel
	action  string // and which of both it was
	checked int
}

// atOnce is faster than a person reads a question and answers it, in nanoseconds.
const atOnce = 250e6

// maxAnswers bounds how many answers are compared with their schemas.
const maxAnswers = 1000

func (s *answers) take(c *diagnose.Case) {
	action, took := text(c.Result("action")), c.T-c.Call.T
	s.refused = 0
	switch action {
	case "decline", "cancel":
		if s.refused, s.action = c.N, action; took < atOnce {
			c.ReportAs(action, diagnose.Finding{
				Message: c.Client() + " answered elicitation/create (" + frame(c.Call.N) + ") with " + quote(action) + " after " + number(took/1e6) + " ms (" + frame(c.N) +
					"). No person is that quick: nobody was shown the question, and the server takes it for a decision.",
				Frames: []uint64{c.N, c.Call.N},
			})
		}
	case "accept":
		if s.checked++; s.checked <= maxAnswers {
			accepted(c, took)
		}
	}
}

// accepted compares what was accepted with what the question asks for.
func accepted(c *diagnose.Case, took int64) {
	raw, content := wire.Get(c.Call.Params, "requestedSchema"), c.Result("content")
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	if content == nil {
		content = []byte("{}")
	}
	want, err := schema.Compile(raw)
	if err != nil {
		return
	}
	faults, _ := want.Check(content)
	if len(faults) == 0 {
		return
	}
	msg := c.Client() + " accepted elicitation/create (" + frame(c.Call.N) + ") with a content that does not fit the requestedSchema (" + frame(c.N) + "): " + placed("content", &faults[0]) + "."
	if took < atOnce {
		msg += " It did so after " + number(took/1e6) + " ms: no person was asked."
	}
	c.ReportAs("content", diagnose.Finding{Severity: diagnose.Warning, Message: msg, Frames: []uint64{c.N, c.Call.N}})
}

// judged looks at a call that failed after a person said no: some servers validate the
// content that is not there.
func (s *answers) judged(c *diagnose.Case) {
	said := failure(c)
	if words.Holds(said, "schema", "required", "validat", "missing") && words.Holds(said, "elicit", "content", "schema") {
		c.ReportAs("judged", withAdvice("content always validated", diagnose.Finding{
			Side: diagnose.Server,
			Message: c.Server() + " failed " + about(c.Call) + " (" + frame(c.N) + "): " + quoteLong(said) +
				". The client had answered the elicitation with " + quote(s.action) + " (" + frame(s.refused) +
				"), which has no content: there was nothing to check against the schema.",
			Frames: []uint64{c.N, c.Call.N, s.refused},
		}))
	}
	s.refused = 0
}
