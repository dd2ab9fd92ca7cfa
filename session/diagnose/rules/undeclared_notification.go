package rules

import (
	"maps"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// noticeGates are the capabilities that the sender of a notification must have
// declared.
var noticeGates = map[string]struct {
	from wire.Dir
	need []string
}{
	mcp.NotifyToolsListChanged:     {wire.ToClient, []string{"tools", "listChanged"}},
	mcp.NotifyPromptsListChanged:   {wire.ToClient, []string{"prompts", "listChanged"}},
	mcp.NotifyResourcesListChanged: {wire.ToClient, []string{"resources", "listChanged"}},
	mcp.NotifyResourcesUpdated:     {wire.ToClient, []string{"resources", "subscribe"}},
	mcp.NotifyMessage:              {wire.ToClient, []string{"logging"}},
	mcp.NotifyRootsListChanged:     {wire.ToServer, []string{"roots", "listChanged"}},
}

var undeclaredNotification = &diagnose.Rule{
	ID: "undeclared-notification", On: diagnose.Notifications, Methods: slices.Sorted(maps.Keys(noticeGates)),
	Check: func(c *diagnose.Case) {
		method := string(c.Message.Method)
		gate, init := noticeGates[method], c.Facts.Init
		if c.Dir != gate.from || !c.Facts.Negotiated() || c.Dir == wire.ToServer && !assigned(c) {
			return
		}
		caps, declared := init.ServerCaps, init.ResponseN
		if c.Dir == wire.ToServer {
			caps, declared = init.ClientCaps, init.N
		}
		if len(caps) == 0 || diagnose.Capability(caps, gate.need...) {
			return
		}
		c.ReportAs(method, diagnose.Finding{
			Severity: softBefore2025June(c),
			Message: c.Named(sender(c)) + " sent " + quote(method) + " (" + frame(c.N) + ") and did not declare the capability " + quote(strings.Join(gate.need, ".")) +
				" (" + frame(declared) + ").",
			Frames: []uint64{c.N, declared},
			Side:   sender(c),
		})
	},
}
