package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// serverGates are the capabilities of a server that a client's requests need.
var serverGates = map[string][]string{
	mcp.ToolsList:             {"tools"},
	mcp.ToolsCall:             {"tools"},
	mcp.PromptsList:           {"prompts"},
	mcp.PromptsGet:            {"prompts"},
	mcp.ResourcesList:         {"resources"},
	mcp.ResourceTemplatesList: {"resources"},
	mcp.ResourcesRead:         {"resources"},
	mcp.ResourcesSubscribe:    {"resources", "subscribe"},
	mcp.ResourcesUnsubscribe:  {"resources", "subscribe"},
	mcp.Complete:              {"completions"},
	mcp.LogSetLevel:           {"logging"},
	mcp.TasksList:             {"tasks", "list"},
	mcp.TasksCancel:           {"tasks", "cancel"},
}

var serverCapabilityMissing = rule("server-capability-missing", diagnose.Requests|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[notAllowed](c)
		switch {
		case c.N == 0:
			s.finish(c)
			return
		case c.Call == nil || c.Call.Dir != wire.ToServer:
			return
		}
		s.goesOn(c)
		gate := serverGates[c.Call.Method]
		if gate == nil || c.Facts == nil || !c.Facts.Negotiated() || len(c.Facts.Init.ServerCaps) == 0 {
			return
		}
		able := s.declared.has(c.Facts.Init, c.Call.Method, gate)
		if able || gate[0] == "completions" && c.ProtocolVersion() < mcp.V20250326 {
			return
		}
		if len(s.open) < maxUndeclared {
			s.open = append(s.open, without{c.Row, c.N, c.Facts.Init.ResponseN, c.Call.Method, strings.Join(gate, ".")})
		}
	})

// notAllowed are the requests that the capabilities do not allow, until it is known
// what came of them.
type notAllowed struct {
	declared
	open []without
}

// without is a request for what was not declared.
type without struct {
	row                int32
	n, caps            uint64 // frames
	method, capability string
}

const maxUndeclared = 64

// goesOn takes a request: whoever sends it did not give up at what was responded before.
func (s *notAllowed) goesOn(c *diagnose.Case) {
	s.open = slices.DeleteFunc(s.open, func(one without) bool {
		r := c.Tracker().Row(int(one.row))
		switch {
		case r.Response == 0:
			return false
		case r.Ending.IsError():
			one.report(c, diagnose.Note, " It was refused ("+frame(r.Response)+"), and the client went on.")
		default:
			one.report(c, diagnose.Note, " It got a result all the same.")
		}
		return true
	})
}

// finish looks at what the client did not go on after.
func (s *notAllowed) finish(c *diagnose.Case) {
	for _, one := range s.open {
		switch r := c.Tracker().Row(int(one.row)); {
		case r.Response != 0 && !r.Ending.IsError():
			one.report(c, diagnose.Note, " It got a result all the same.")
		case r.Response != 0:
			one.report(c, softBefore2025June(c), " It was refused ("+frame(r.Response)+"), and the client sent nothing more.")
		default:
			one.report(c, softBefore2025June(c), "")
		}
	}
	s.open = nil
}

func (one *without) report(c *diagnose.Case, severity diagnose.Severity, said string) {
	c.ReportAs(one.capability+severity.String(), diagnose.Finding{
		Severity: severity, Harmless: severity == diagnose.Note,
		Message: c.Client() + " sent " + quote(one.method) + " (" + frame(one.n) + "), and the server did not declare the capability " +
			quote(one.capability) + " (" + frame(one.caps) + ")." + said,
		Frames: []uint64{one.n, one.caps}, Beside: []uint64{uint64(c.Tracker().Row(int(one.row)).Response)},
	})
}

// declared remembers which methods the capabilities of a handshake allow.
type declared struct {
	init uint64 // frame of the response
	able map[string]bool
}

func (d *declared) has(init *diagnose.Init, method string, gate []string) bool {
	if d.init != init.ResponseN || d.able == nil {
		d.init, d.able = init.ResponseN, map[string]bool{}
	}
	able, known := d.able[method]
	if !known {
		able = diagnose.Capability(init.ServerCaps, gate...)
		d.able[method] = able
	}
	return able
}
