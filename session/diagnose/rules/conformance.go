package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// conformance are the formal checks of the specification, which explain nothing by themselves.
var conformance = slices.Concat(
	jsonrpcConformance, idsConformance, lifecycleConformance, stdioConformance, httpConformance, sessionsConformance,
	streamsConformance, modernConformance, envelopeConformance, toolsConformance, tasksConformance,
	extensionsConformance, gatewayConformance, loginConformance,
)

type fill = diagnose.Values

var (
	toolCalls = []string{mcp.ToolsCall}
	toolLists = []string{mcp.ToolsList}
	handshake = []string{mcp.Initialize}
)

// missingAll reports what is missing, if something is.
func missingAll(c *diagnose.Case, key string, list []string, and string) {
	if list := strings.Join(list, and); list != "" {
		c.Found("", list+key, fill{"missing": list})
	}
}

// ofClient says whether the message in hand is a request of the client, or of one.
func ofClient(c *diagnose.Case) bool { return c.Call != nil && c.Call.Dir == wire.ToServer }
