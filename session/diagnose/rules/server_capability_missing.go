package rules

import (
	"maps"
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

var serverCapabilityMissing = &diagnose.Rule{
	ID:       "server-capability-missing",
	Title:    "The client uses a capability that the server did not declare",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	On:       diagnose.Requests,
	Methods:  slices.Sorted(maps.Keys(serverGates)),
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || !c.Facts.Negotiated() || len(c.Facts.Init.ServerCaps) == 0 {
			return
		}
		gate := serverGates[c.Call.Method]
		able := diagnose.State[declared](c).has(c.Facts.Init, c.Call.Method, gate)
		if able || gate[0] == "completions" && c.ProtocolVersion() < mcp.V20250326 {
			return
		}
		name := strings.Join(gate, ".")
		c.ReportAs(name, diagnose.Finding{
			Severity: softBefore2025June(c),
			Message: c.Client() + " sent " + quote(c.Call.Method) + " (" +
				frame(c.N) + "), and the server did not declare the capability " + quote(name) + " (" + frame(c.Facts.Init.ResponseN) + ").",
			Frames: []uint64{c.N, c.Facts.Init.ResponseN},
		})
	},
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
