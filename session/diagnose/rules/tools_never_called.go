package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolsNeverCalled = rule("tools-never-called", diagnose.Requests|diagnose.Results|diagnose.Finish,
	checkNeverCalled)

// uncalled is what is remembered of a session in which no tool was called.
type uncalled struct {
	lists  int
	frames []uint64
	called bool
	name   string // of the first tool that is not valid
	bad    uint64
	text   string
	t      int64 // of the first and the latest list
	lastT  int64
	odd    string // what some clients refuse of a definition that is valid
	oddN   uint64
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
		if s.lastT = c.T; s.lists == 0 {
			s.t = c.T
		}
		if s.lists++; len(s.frames) < 4 {
			s.frames = append(s.frames, c.N)
		}
	case s.bad == 0 && s.lists <= 3 && c.Message.Kind == wire.MsgResult:
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			if tool[0] != '{' {
				return true
			}
			if s.odd == "" {
				s.odd, s.oddN = oddDefinition(tool), c.N
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

// oftenListed is how often a list is read before somebody asks why.
const oftenListed = 5

func finishNeverCalled(c *diagnose.Case, s *uncalled) {
	switch {
	case s.called || s.lists == 0 || c.Blind():
	case s.lists > 1 && s.bad != 0:
		c.ReportAs("", diagnose.Finding{
			Frames: append([]uint64{s.bad}, s.frames...), Items: []string{s.name},
			Message: c.Client() + " listed the tools " + number(s.lists) + " times and called none. The tool " + quote(s.name) + " (" + frame(s.bad) + ") " + s.text + ", and many clients then drop the whole list.",
		})
	case s.lists >= oftenListed && s.lastT-s.t < int64(s.lists)*5e9:
		c.ReportAs("", withAdvice("listed where it should be called", diagnose.Finding{
			Severity: diagnose.Note, Side: diagnose.Client, Frames: s.frames,
			Message: c.Client() + " listed the tools " + number(s.lists) + " times and never called one. The list is valid.",
		}))
	case s.odd != "" && c.Until()-s.lastT >= 500e6: // else somebody only looked
		c.ReportAs("", withAdvice("odd definition passed over", diagnose.Finding{
			Severity: diagnose.Note, Side: diagnose.Client, Frames: append([]uint64{s.oddN}, s.frames...),
			Message: c.Client() + " listed the tools (" + frame(s.oddN) + ") and never called one until the session ended. " + s.odd + ". That is valid, and some clients refuse the tool or the whole list for it.",
		}))
	}
}

// oddDefinition says of a valid definition of a tool what clients are known to refuse, ""
// for nothing.
func oddDefinition(tool []byte) (odd string) {
	name := quote(text(wire.Get(tool, "name")))
	for _, which := range [...]string{"inputSchema", "outputSchema"} {
		schema.Walk(wire.Get(tool, which), func(at []string, _ bool, sub []byte) bool {
			if what := oddSchema(sub); what != "" && len(at) > 0 {
				odd = "The tool " + name + " has " + what + " in its " + which + ", at " + quote(strings.Join(at, "."))
			}
			return odd == ""
		})
		if extra := wire.Get(wire.Get(tool, which), "additionalProperties"); len(extra) > 2 && extra[0] == '{' && odd == "" {
			odd = "The tool " + name + " has a schema as additionalProperties in its " + which + ", where some libraries read true and false only"
		}
	}
	return odd
}

// oddSchema says what is unusual in the schema of an argument, "" for nothing.
func oddSchema(sub []byte) string {
	if len(sub) == 0 || sub[0] != '{' {
		return ""
	}
	switch kind := wire.Get(sub, "type"); {
	case len(kind) > 0 && kind[0] == '[':
		return "a parameter with a list of types"
	case kind != nil:
		return ""
	}
	for _, key := range [...]string{"$ref", "anyOf", "oneOf", "allOf", "enum", "const", "not"} {
		if wire.Get(sub, key) != nil {
			return ""
		}
	}
	return "a parameter without a type"
}
