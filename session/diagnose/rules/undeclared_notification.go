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
	ID:       "undeclared-notification",
	Title:    "A side sends notifications that it did not declare",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A side that sends log messages or reports changes declares this in its capabilities. Otherwise the other side may not listen: it keeps an old list of tools, and log messages are lost.",
		Wire:  "notifications/tools/list_changed without tools.listChanged, notifications/message without logging, notifications/resources/updated without resources.subscribe.",
		Cause: "The capabilities were written by hand and are out of date, or tools are added after the handshake, which the SDK announces automatically.",
		Fix:   `In the side that sends it: declare what you send, such as "capabilities":{"tools":{"listChanged":true},"logging":{}}.`,
		Spec:  "2025-11-25 basic/lifecycle: Capability Negotiation",
		Example: `< {"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{}},…}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	},
	On:      diagnose.Notifications,
	Methods: slices.Sorted(maps.Keys(noticeGates)),
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
			Message: the(sender(c)) + " sent " + quote(method) + " (" + frame(c.N) + ") and did not declare the capability " + quote(strings.Join(gate.need, ".")) +
				" (" + frame(declared) + ").",
			Frames: []uint64{c.N, declared},
			Side:   sender(c),
		})
	},
}
