package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var requestStateWrong = &diagnose.Rule{
	ID:      "request-state-wrong",
	On:      diagnose.Requests | diagnose.Results,
	Methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || !c.Call.Modern {
			return
		}
		if c.Message.Kind == wire.MsgResult {
			if resultType(c) == "input_required" {
				diagnose.State[rounds](c).note(c)
			}
			return
		}
		state, responses := c.Param("requestState"), c.Param("inputResponses")
		if state == nil && responses == nil {
			return
		}
		checkState(c, diagnose.State[rounds](c), state)
	},
}

// checkState compares the state of a retry with what was given. Where it is not
// sure which response the request continues, any that fits will do.
func checkState(c *diagnose.Case, s *rounds, state []byte) {
	var nearest *round
	for i := len(s.open) - 1; i >= 0; i-- {
		n := &s.open[i]
		if state != nil && n.hasState && n.state == text(state) {
			return
		}
		if !n.continues(c) {
			continue
		}
		if state == nil && !n.hasState {
			return
		}
		if nearest == nil {
			nearest = n
		}
	}
	if nearest == nil || s.lost || c.Blind() {
		return
	}
	what := ""
	switch {
	case state == nil:
		what = "does not return the requestState"
	case nearest.hasState:
		what = "returns another requestState than the one"
	default:
		c.Say("invented", "The retry of "+quote(c.Call.Method)+" ("+frame(c.N)+") has a requestState, although the response it continues ("+frame(nearest.n)+") had none.",
			c.N, nearest.n)
		return
	}
	c.Say(what, "The retry of "+quote(c.Call.Method)+" ("+frame(c.N)+") "+what+" of the response it continues ("+frame(nearest.n)+").",
		c.N, nearest.n)
}
