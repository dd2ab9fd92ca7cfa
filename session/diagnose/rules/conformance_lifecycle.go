package rules

import (
	"maps"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// lifecycleConformance are those of the handshake, protocol versions and capabilities.
var lifecycleConformance = []formal{
	{
		id: "initialize-cancelled", on: diagnose.Notifications, methods: []string{mcp.NotifyCancelled},
		check: func(c *diagnose.Case) {
			init := c.Facts.Init
			if c.Dir != wire.ToServer || init == nil {
				return
			}
			if row := c.Tracker().Row(int(c.Row)); row.Parent < 0 || row.Parent != init.Row {
				return
			}
			c.Say("", c.Client()+" cancelled its initialize ("+frame(init.N)+") after "+seconds(c.T-init.T)+".", c.N, init.N)
		},
	},
	{
		id: "unknown-version", on: diagnose.Results, methods: []string{mcp.Initialize},
		check: func(c *diagnose.Case) {
			chosen := text(c.Result("protocolVersion"))
			if v := mcp.Version(chosen); c.Call != nil && v.IsPublished() && v.IsModern() {
				c.ReportAs(chosen, withAdvice("version without initialize", diagnose.Finding{
					Severity: diagnose.Error, Frames: []uint64{c.N, c.Call.N}, Place: "/result/protocolVersion",
					Message: c.Server() + " responded to initialize (" + frame(c.Call.N) + ") with the protocol version " + chosen + " (" + frame(c.N) + "), which has no initialize: each request declares its version.",
				}))
				return
			}
			if c.Call == nil || chosen == "" || published(mcp.Version(chosen)) {
				return
			}
			c.Say(chosen, c.Server()+" chose the protocol version "+quote(chosen)+" ("+frame(c.N)+"), which was never published.",
				c.N, c.Call.N)
		},
	},
	{
		id: "undeclared-notification", on: diagnose.Notifications,
		methods: slices.Sorted(maps.Keys(noticeGates)),
		check: func(c *diagnose.Case) {
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
	},
	{
		id: "client-capability-missing", on: diagnose.Questions,
		methods: []string{mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList},
		check: func(c *diagnose.Case) {
			if c.Dir != wire.ToClient || !c.Facts.Negotiated() || !assigned(c) {
				return
			}
			name, should := missingForServer(c, c.Facts.Init.ClientCaps)
			if name == "" {
				return
			}
			f := diagnose.Finding{
				Severity: softBefore2025June(c),
				Message: c.Server() + " sent " + quote(c.Call.Method) + " (" +
					frame(c.N) + "), and the client did not declare the capability " + quote(name) + " (" + frame(c.Facts.Init.N) + ").",
				Frames: []uint64{c.N, c.Facts.Init.N},
			}
			if should {
				f.Severity = diagnose.Warning
			}
			c.ReportAs(name, f)
		},
	},
	{
		id: "initialized-missing", on: diagnose.Finish,
		check: func(c *diagnose.Case) {
			f := c.Facts
			if !f.Negotiated() || f.Initialized != 0 || c.Blind() || !assigned(c) {
				return
			}
			d, ok := c.Ledger.Other(ledger.Handshake, int(f.Init.Row))
			if !ok || d.Times == 0 || !d.Missing() {
				return
			}
			r := c.Tracker().Row(int(d.Went[0]))
			method := c.Tracker().Name(r.Name)
			if strings.HasPrefix(method, mcp.NotificationPrefix) || noTime(c, r) {
				return
			}
			c.Say("", c.Server()+" responded to initialize ("+frame(f.Init.ResponseN)+"). The client went on with "+quote(method)+" ("+frame(r.Request)+") and never sent notifications/initialized.",
				uint64(r.Request), f.Init.ResponseN)
		},
	},
}

// published says whether a protocol version was ever published. The first of them was
// but a draft that early SDKs still accept.
func published(version mcp.Version) bool {
	return version == mcp.V20241007 || version.IsPublished()
}

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

// missingForServer is the capability of the client that the request in hand
// needs and that was not declared, "" for none. should says that it is only
// recommended. Parts of capabilities exist from 2025-11-25.
func missingForServer(c *diagnose.Case, caps []byte) (name string, should bool) {
	has := func(path ...string) bool { return diagnose.Capability(caps, path...) }
	parts := c.ProtocolVersion() >= mcp.V20251125
	switch c.Call.Method {
	case mcp.RootsList:
		if !has("roots") {
			return "roots", false
		}
	case mcp.SamplingCreateMessage:
		context := text(c.Param("includeContext"))
		switch {
		case !has("sampling"):
			return "sampling", false
		case parts && c.Param("tools") != nil && !has("sampling", "tools"):
			return "sampling.tools", false
		case parts && (context == "thisServer" || context == "allServers") && !has("sampling", "context"):
			return "sampling.context", true
		}
	case mcp.ElicitationCreate:
		url := text(c.Param("mode")) == "url"
		switch {
		case !has("elicitation"):
			return "elicitation", false
		case parts && url && !has("elicitation", "url"):
			return "elicitation.url", false
		case parts && !url && has("elicitation", "url") && !has("elicitation", "form"): // {} stands for form
			return "elicitation.form", false
		}
	}
	return "", false
}

// noTime says whether the session ended with a request: what else the client would have
// sent is not known.
func noTime(c *diagnose.Case, r *session.Row) bool {
	return r.Ending.Lost() && r.End-r.T < 1e9 && c.Facts.LastOK < r.T
}
