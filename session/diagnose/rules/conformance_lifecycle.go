package rules

import (
	"maps"
	"slices"
	"strconv"
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
		id: "initialize-twice", on: diagnose.Requests | diagnose.Results, methods: []string{mcp.Initialize},
		check: func(c *diagnose.Case) {
			first := diagnose.State[firstInit](c)
			switch {
			case c.Call == nil || c.Call.Dir != wire.ToServer || !assigned(c):
			case c.Message.Kind == wire.MsgRequest && first.response != 0:
				c.Say("", c.Client()+" sent initialize again ("+frame(c.N)+"). The session had been open since "+frame(first.response)+".",
					c.N, first.n, first.response)
			case c.Message.Kind == wire.MsgResult && first.response == 0:
				first.n, first.response = c.Call.N, c.N
			}
		},
	},
	{
		id: "newer-version-accepted", on: diagnose.Notifications, methods: []string{mcp.NotifyInitialized},
		check: func(c *diagnose.Case) {
			f := c.Facts
			if c.Dir != wire.ToServer || !f.Negotiated() || !assigned(c) || !published(f.Init.Requested) ||
				!published(f.Init.Chosen) || f.Init.Chosen <= f.Init.Requested {
				return
			}
			c.Say("", c.Client()+" requested protocol version "+string(f.Init.Requested)+" ("+frame(f.Init.N)+"), the server chose the newer "+string(f.Init.Chosen)+" ("+
				frame(f.Init.ResponseN)+"), and the client continued.",
				c.N, f.Init.ResponseN, f.Init.N)
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
		id: "version-not-honoured", on: diagnose.Results, methods: []string{mcp.Initialize},
		check: func(c *diagnose.Case) {
			if c.Call == nil || c.Dir != wire.ToClient {
				return
			}
			asked, chosen := text(wire.Get(c.Call.Params, "protocolVersion")), text(c.Result("protocolVersion"))
			seen := made(diagnose.Memory[map[choice]uint64](c)) // the frame that shows it first
			info := c.Result("serverInfo")
			server := c.Session.Endpoint + "\x00" + text(wire.Get(info, "name")) + "\x00" + text(wire.Get(info, "version"))
			if other := seen[choice{server, asked}]; other != 0 && chosen != asked && chosen != "" {
				c.Say("", c.Client()+" requested protocol version "+quote(asked)+" ("+frame(c.Call.N)+") and the server chose "+quote(chosen)+". It does support "+asked+": it chose it before ("+frame(other)+").",
					c.N, c.Call.N, other)
			}
			if one := (choice{server, chosen}); seen[one] == 0 && len(seen) < maxChoices {
				seen[one] = c.N
			}
		},
	},
	{
		id: "foreign-version", on: diagnose.Requests | diagnose.Notifications,
		methods: slices.Sorted(maps.Keys(since)),
		check: func(c *diagnose.Case) {
			if !c.Facts.Negotiated() || !assigned(c) || !published(c.Facts.Init.Chosen) {
				return
			}
			method, rev := string(c.Message.Method), c.Facts.Init.Chosen
			in := since[method]
			if rev >= in.from && (in.to == "" || rev <= in.to) {
				return
			}
			c.ReportAs(method, diagnose.Finding{
				Severity: softBefore2025June(c),
				Message: c.Named(sender(c)) + " sent " + quote(method) + " (" + frame(c.N) + "). The session has protocol version " + string(rev) + " (" +
					frame(c.Facts.Init.ResponseN) + "), and this message exists since " + string(in.from) + ".",
				Frames: []uint64{c.N, c.Facts.Init.ResponseN},
				Side:   sender(c),
			})
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
		id: "progress-not-increasing", on: diagnose.Notifications, methods: []string{mcp.NotifyProgress},
		check: func(c *diagnose.Case) {
			row := c.Tracker().Row(int(c.Row)).Parent
			if row < 0 || c.Exchange != nil && c.Exchange.Header(mcp.HeaderLastEventID) != "" { // a replayed stream
				return
			}
			var progress, token string
			wire.Each(c.Message.Params, func(key, value []byte) bool {
				switch string(key) {
				case "progress":
					progress = string(value)
				case "progressToken":
					token = string(value)
				}
				return true
			})
			value, err := strconv.ParseFloat(progress, 64)
			if err != nil {
				return
			}
			seen := made(diagnose.State[map[int32]step](c)) // by row
			last, again := seen[row]
			if len(seen) >= maxTold {
				clear(seen)
			}
			seen[row] = step{c.N, value, token}
			if !again || last.token != token || value > last.value {
				return
			}
			call := c.Tracker().Row(int(row))
			blameSender(c, "", "reported progress "+raw(progress)+" ("+frame(c.N)+") of "+c.Tracker().Name(call.Name)+" ("+
				frame(call.Request)+") after "+strconv.FormatFloat(last.value, 'f', -1, 64)+" ("+frame(last.n)+").",
				c.N, last.n, uint64(call.Request))
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

// firstInit is the handshake that opened a session.
type firstInit struct{ n, response uint64 }

// published says whether a protocol version was ever published. The first of them was
// but a draft that early SDKs still accept.
func published(version mcp.Version) bool {
	return version == mcp.V20241007 || version.IsPublished()
}

// choice is a protocol version that a server has chosen.
type choice struct{ server, version string }

const maxChoices = 64

// since says in which protocol versions a method exists, for those that not all
// protocol versions with a handshake have (their schemas).
var since = map[string]struct{ from, to mcp.Version }{
	mcp.ElicitationCreate:         {mcp.V20250618, mcp.V20251125},
	mcp.NotifyElicitationComplete: {mcp.V20251125, mcp.V20251125},
	mcp.TasksGet:                  {mcp.V20251125, ""},
	mcp.TasksResult:               {mcp.V20251125, mcp.V20251125},
	mcp.TasksList:                 {mcp.V20251125, mcp.V20251125},
	mcp.TasksCancel:               {mcp.V20251125, ""},
	mcp.NotifyTasksStatus:         {mcp.V20251125, mcp.V20251125},
	mcp.TasksUpdate:               {mcp.V20260728, ""},
	mcp.NotifyTasks:               {mcp.V20260728, ""},
	mcp.Discover:                  {mcp.V20260728, ""},
	mcp.Listen:                    {mcp.V20260728, ""},
	mcp.NotifyAcknowledged:        {mcp.V20260728, ""},
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

// step is the latest progress of a call.
type step struct {
	n     uint64
	value float64
	token string
}

const maxTold = 1024

// noTime says whether the session ended with a request: what else the client would have
// sent is not known.
func noTime(c *diagnose.Case, r *session.Row) bool {
	return r.Ending.Lost() && r.End-r.T < 1e9 && c.Facts.LastOK < r.T
}
