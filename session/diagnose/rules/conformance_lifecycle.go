package rules

import (
	"maps"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// lifecycleConformance are those of the handshake, protocol versions and capabilities.
var lifecycleConformance = []*diagnose.Rule{
	{ID: "initialize-cancelled", On: diagnose.Notifications, Methods: []string{mcp.NotifyCancelled}, Check: func(c *diagnose.Case) {
		init := c.Facts.Init
		if c.Dir != wire.ToServer || init == nil {
			return
		}
		if row := c.Tracker().Row(int(c.Row)); row.Parent >= 0 && row.Parent == init.Row {
			c.Found("", "", fill{"init": init.N, "after": seconds(c.T - init.T)}, c.N, init.N)
		}
	}},
	{ID: "unknown-version", On: diagnose.Results, Methods: handshake, Check: func(c *diagnose.Case) {
		chosen := text(c.Result("protocolVersion"))
		switch v := mcp.Version(chosen); {
		case c.Call == nil || chosen == "":
		case v.IsPublished() && v.IsModern():
			c.ReportAs(chosen, withAdvice("version without initialize", diagnose.Finding{
				Severity: diagnose.Error, Frames: []uint64{c.N, c.Call.N}, Place: "/result/protocolVersion",
				Says: "modern", With: fill{"chosen": chosen},
			}))
		case !published(v):
			c.Found("", chosen, fill{"chosen": chosen})
		}
	}},
	{ID: "undeclared-notification", On: diagnose.Notifications, Methods: slices.Sorted(maps.Keys(noticeGates)), Check: func(c *diagnose.Case) {
		method := string(c.Message.Method)
		gate, init := noticeGates[method], c.Facts.Init
		if c.Dir != gate.from || !c.Facts.Negotiated() || c.Dir == wire.ToServer && !assigned(c) {
			return
		}
		caps, declared := init.ServerCaps, init.ResponseN
		if c.Dir == wire.ToServer {
			caps, declared = init.ClientCaps, init.N
		}
		if len(caps) > 0 && !diagnose.Capability(caps, gate.need...) {
			c.ReportAs(method, diagnose.Finding{
				Severity: softBefore2025June(c), Side: c.Sender(), Frames: []uint64{c.N, declared},
				With: fill{"capability": strings.Join(gate.need, "."), "declared": declared},
			})
		}
	}},
	{
		ID: "client-capability-missing", On: diagnose.Questions,
		Methods: []string{mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList},
		Check: func(c *diagnose.Case) {
			if c.Dir != wire.ToClient || !c.Facts.Negotiated() || !assigned(c) {
				return
			}
			name, should := missingForServer(c, c.Facts.Init.ClientCaps)
			if name == "" {
				return
			}
			f := diagnose.Finding{Severity: softBefore2025June(c), Frames: []uint64{c.N, c.Facts.Init.N}}
			if should {
				f.Severity = diagnose.Warning
			}
			f.With = fill{"capability": name, "init": c.Facts.Init.N}
			c.ReportAs(name, f)
		},
	},
	{ID: "initialized-missing", On: diagnose.Finish, Check: func(c *diagnose.Case) {
		f := c.Facts
		if !f.Negotiated() || f.Initialized != 0 || c.Blind() || !assigned(c) {
			return
		}
		d, ok := c.Ledger.Other(ledger.Handshake, int(f.Init.Row))
		if !ok || d.Times == 0 || !d.Missing() {
			return
		}
		r := c.Tracker().Row(int(d.Went[0]))
		// Where the session ended with that request, what else was to come is not known.
		noTime := r.Ending.Lost() && r.End-r.T < 1e9 && f.LastOK < r.T
		if method := c.Tracker().Name(r.Name); !strings.HasPrefix(method, mcp.NotificationPrefix) && !noTime {
			c.Found("", "", fill{"init": f.Init.ResponseN, "next": method, "then": r.Request}, uint64(r.Request), f.Init.ResponseN)
		}
	}},
	{ID: "initialize-incomplete", On: diagnose.Requests, Methods: []string{mcp.Initialize}, Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer {
			return
		}
		var missing []string
		lacks := func(name string, first byte) bool {
			value := wire.Get(c.Message.Params, strings.Split(name, ".")...)
			if len(value) > 0 && value[0] == first {
				return false
			}
			missing = append(missing, name)
			return true
		}
		lacks("protocolVersion", '"')
		lacks("capabilities", '{')
		if !lacks("clientInfo", '{') {
			lacks("clientInfo.name", '"')
			lacks("clientInfo.version", '"')
		}
		missingAll(c, "", missing, ", ")
	}},
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
