package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolsNeverCalled = &diagnose.Rule{
	ID:         "tools-never-called",
	Title:      "The tools are listed again and again, and none is called",
	Severity:   diagnose.Warning,
	Side:       diagnose.Server,
	Confidence: diagnose.Possible,
	On:         diagnose.Requests | diagnose.Results | diagnose.Finish,
	Check:      checkNeverCalled,
}

// uncalled is what is remembered of a session in which no tool was called.
type uncalled struct {
	lists  int
	frames []uint64
	called bool
	name   string // of the first tool that is not valid
	bad    uint64
	text   string
}

func checkNeverCalled(c *diagnose.Case) {
	if c.Facts == nil || c.Call != nil && c.Call.Method != mcp.ToolsList && c.Call.Method != mcp.ToolsCall {
		return
	}
	s := diagnose.State[uncalled](c)
	switch {
	case c.Call == nil && c.N == 0:
		finishNeverCalled(c, s)
	case c.Call == nil || c.Call.Dir != wire.ToServer || s.called:
	case c.Call.Method == mcp.ToolsCall:
		s.called = true
	case c.Message.Kind == wire.MsgRequest:
		if c.Param("cursor") != nil {
			return
		}
		if s.lists++; len(s.frames) < 4 {
			s.frames = append(s.frames, c.N)
		}
	case s.bad == 0 && s.lists <= 3:
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			if tool[0] != '{' {
				return true
			}
			for _, f := range diagnose.Memory[definitions](c).of(tool, c.ProtocolVersion()) {
				if f.severity == diagnose.Error {
					s.name, s.bad, s.text = text(wire.Get(tool, "name")), c.N, f.text
					return false
				}
			}
			return true
		})
	}
}

func finishNeverCalled(c *diagnose.Case, s *uncalled) {
	if s.called || s.lists < 2 || s.bad == 0 || c.Blind() {
		return
	}
	c.Say("", c.Client()+" listed the tools "+number(s.lists)+" times and called none. The tool "+quote(s.name)+" ("+frame(s.bad)+") "+s.text+", and many clients then drop the whole list.",
		append([]uint64{s.bad}, s.frames...)...)
}
