package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
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
		default:
			s.asked(c)
		}
	})

// inputs are the questions in results that wait for their answers.
type inputs struct {
	rounds
	times map[uint64]int64     // of the rounds, by frame
	tasks map[string]taskInput // by id
	last  uint64               // the latest request of the client
	bare  int                  // how often in a row it sent a call again without answers
}

// taskInput is a task that waits for input.
type taskInput struct {
	n, askedN uint64
	t         int64
	method    string
}

// asked takes a result.
func (s *inputs) asked(c *diagnose.Case) {
	switch {
	case resultType(c) == "input_required":
		s.note(c)
		made(&s.times)[c.N] = c.T
	case c.Call.Method == mcp.TasksGet:
		id := text(c.Result("taskId"))
		first := firstAsked(c)
		if _, known := s.tasks[id]; first == "" || text(c.Result("status")) != "input_required" {
			delete(s.tasks, id)
		} else if !known && len(s.tasks) < maxTasks {
			made(&s.tasks)[id] = taskInput{c.N, c.Call.N, c.T, first}
		}
	}
}

// firstAsked is the method of the first question of a result, "" for none.
func firstAsked(c *diagnose.Case) (method string) {
	wire.Each(c.Result("inputRequests"), func(_, ask []byte) bool {
		method = text(wire.Get(ask, "method"))
		return false
	})
	return method
}

// ask takes a request: it may be the next round of one before.
func (s *inputs) ask(c *diagnose.Case) {
	if c.Call.Method != mcp.TasksGet {
		s.last = c.N
	}
	if c.Call.Method == mcp.TasksUpdate || c.Call.Method == mcp.TasksCancel {
		delete(s.tasks, text(c.Param("taskId")))
		return
	}
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
				Severity: diagnose.Note, Confidence: diagnose.Possible,
				Message: c.Client() + " sent " + about(c.Call) + " again and again, without the inputResponses that the result before asked for (" + frame(n.n) + "). The server can only ask once more.",
				Frames:  []uint64{c.N, n.n, n.askedN},
			})
		}
		delete(s.times, n.n)
		s.open = append(s.open[:i], s.open[i+1:]...)
		return
	}
}

func (s *inputs) report(c *diagnose.Case) {
	if c.Blind() {
		return
	}
	for i := range s.open {
		n := &s.open[i]
		if t := s.times[n.n]; n.n > s.last && c.T-t >= 3e9 {
			what := n.method
			if n.target != "" {
				what += " " + quote(n.target)
			}
			c.ReportAs("", diagnose.Finding{
				Message: "The result of " + what + " (" + frame(n.askedN) + ") is input_required: it asks for " + countQuestions(len(n.keys)) + " (" + frame(n.n) + "). " + c.Client() +
					" did not answer: it never sent the call again with inputResponses, in the " + seconds(c.T-t) + " until the session ended, and asked for nothing else.",
				Frames: []uint64{n.n, n.askedN},
			})
		}
	}
	for _, id := range sortedKeys(s.tasks) {
		if one := s.tasks[id]; c.T-one.t >= 3e9 {
			c.ReportAs("task", diagnose.Finding{
				Message: "The task " + quote(id) + " is input_required and asks for " + quote(one.method) + " (" + frame(one.n) + "). " + c.Client() +
					" did not answer: it never sent tasks/update, in the " + seconds(c.T-one.t) + " until the session ended.",
				Frames: []uint64{one.n, one.askedN},
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
