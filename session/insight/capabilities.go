package insight

import (
	"slices"
	"strings"
	"sync"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Capability is one thing that a side declares, or makes use of.
type Capability struct {
	Server    bool   // it is the server's
	Name      string // "resources.subscribe"
	Declared  bool
	Value     string // what stands at the name, when that is more than true or {}
	N         uint64 // frame that declares it, 0 for none
	Used      int    // how often something was done that it stands for
	First     uint64 // frame where that was done first
	Elsewhere bool   // it is declared, and of another protocol version than the session's
	Unknown   bool   // nothing is known that it stands for: how often it is used cannot be said
	Extension string // of an extension: its name and state, or that midwire does not know it
}

// Undeclared says that something was used without being declared.
func (c *Capability) Undeclared() bool { return !c.Declared && c.Used > 0 }

// gate is what uses a capability stands for (basic/lifecycle: Capability
// Negotiation; 2026-07-28: server/discover, basic/index).
type gate struct {
	server bool
	name   string
	uses   []use
	era    era
}

// era is where a gate exists.
type era uint8

const (
	always era = iota
	legacy     // before 2026-07-28
	modern     // from then on
)

const up, down = wire.ToServer, wire.ToClient

var gates = []gate{
	{name: "roots", uses: []use{{down, mcp.RootsList}}},
	{name: "roots.listChanged", uses: []use{{up, mcp.NotifyRootsListChanged}}, era: legacy},
	{name: "sampling", uses: []use{{down, mcp.SamplingCreateMessage}}},
	{name: "sampling.tools", uses: []use{{down, mcp.SamplingCreateMessage + "#tools"}}},
	{name: "sampling.context", uses: []use{{down, mcp.SamplingCreateMessage + "#context"}}},
	{name: "elicitation", uses: []use{{down, mcp.ElicitationCreate}}},
	{name: "elicitation.form", uses: []use{{down, mcp.ElicitationCreate + "#form"}}},
	{name: "elicitation.url", uses: []use{{down, mcp.ElicitationCreate + "#url"}}},
	{name: "tasks", era: legacy, uses: []use{
		{down, mcp.SamplingCreateMessage + "#task"},
		{down, mcp.ElicitationCreate + "#task"},
		{down, mcp.TasksGet},
		{down, mcp.TasksResult},
	}},
	{name: "tasks.list", uses: []use{{down, mcp.TasksList}}, era: legacy},
	{name: "tasks.cancel", uses: []use{{down, mcp.TasksCancel}}, era: legacy},
	{server: true, name: "tools", uses: []use{{up, mcp.ToolsList}, {up, mcp.ToolsCall}}},
	{server: true, name: "tools.listChanged", uses: []use{{down, mcp.NotifyToolsListChanged}}},
	{server: true, name: "prompts", uses: []use{{up, mcp.PromptsList}, {up, mcp.PromptsGet}}},
	{server: true, name: "prompts.listChanged", uses: []use{{down, mcp.NotifyPromptsListChanged}}},
	{server: true, name: "resources", uses: []use{
		{up, mcp.ResourcesList}, {up, mcp.ResourceTemplatesList}, {up, mcp.ResourcesRead},
	}},
	{server: true, name: "resources.subscribe", uses: []use{
		{up, mcp.ResourcesSubscribe}, {up, mcp.ResourcesUnsubscribe}, {down, mcp.NotifyResourcesUpdated},
	}},
	{server: true, name: "resources.listChanged", uses: []use{{down, mcp.NotifyResourcesListChanged}}},
	{server: true, name: "logging", uses: []use{{up, mcp.LogSetLevel}, {up, "_meta#logLevel"}, {down, mcp.NotifyMessage}}},
	{server: true, name: "completions", uses: []use{{up, mcp.Complete}}},
	{server: true, name: "tasks", uses: []use{{up, mcp.ToolsCall + "#task"}, {up, mcp.TasksGet}, {up, mcp.TasksResult}}, era: legacy},
	{server: true, name: "tasks.list", uses: []use{{up, mcp.TasksList}}, era: legacy},
	{server: true, name: "tasks.cancel", uses: []use{{up, mcp.TasksCancel}}, era: legacy},
}

// extensionGates are those of the extensions that midwire knows.
var extensionGates = sync.OnceValue(func() (all []gate) {
	for _, x := range mcp.Extensions() {
		g := gate{server: true, name: extensionPrefix + x.ID}
		if x.ID == mcp.ExtensionTasks { // before, its methods were the protocol's
			g.era = modern
		}
		for _, m := range x.Methods {
			g.uses = append(g.uses, use{up, m.Name})
		}
		for _, method := range x.Notifications {
			g.uses = append(g.uses, use{down, method})
		}
		all = append(all, g)
	}
	return all
})

const extensionPrefix = "extensions."

// extension says what an extension is, by the name of its capability; "" for another one.
func extension(name string) string {
	id, ok := strings.CutPrefix(name, extensionPrefix)
	if !ok {
		return ""
	}
	if x := mcp.ExtensionByID(id); x != nil {
		return x.Name + ", " + string(x.State)
	}
	return "an extension that midwire does not know"
}

// isPlain are the capabilities that are reported even when they are not declared.
func isPlain(name string) bool { return !strings.Contains(name, ".") }

// capabilities lists what is declared or used, and the plain ones in any case.
func (s *sides) capabilities() []Capability {
	var out []Capability
	for _, g := range slices.Concat(gates, extensionGates()) {
		if g.era == legacy && s.Modern || g.era == modern && !s.Modern {
			continue
		}
		c := Capability{Server: g.server, Name: g.name, Extension: extension(g.name)}
		s.declared(&c)
		for _, u := range g.uses {
			if at := s.uses[u]; at != nil {
				c.Used += at.n
				if c.First == 0 || at.first < c.First {
					c.First = at.first
				}
			}
		}
		c.Unknown = c.Declared && len(g.uses) == 0
		if c.Declared || c.Used > 0 && !implied(&c, s) || isPlain(c.Name) {
			out = append(out, c)
		}
	}
	return append(out, s.unlisted(out)...)
}

// implied reports whether what a capability stands for is allowed by the one that
// it is a part of: elicitation without members means forms.
func implied(c *Capability, s *sides) bool {
	return c.Name == "elicitation.form" && !declares(s.Client.Caps, "elicitation", "url")
}

func (s *sides) declared(c *Capability) {
	side := &s.Client
	if c.Server {
		side = &s.Server
	}
	path := []string{c.Name}
	if in, ok := strings.CutPrefix(c.Name, extensionPrefix); ok {
		path = []string{"extensions", in}
	} else if before, after, ok := strings.Cut(c.Name, "."); ok {
		path = []string{before, after}
	}
	if declares(side.Caps, path...) {
		c.Declared, c.N = true, side.N
	}
}

// declares reports whether a capability is there. A member that is false or null
// counts as not declared.
func declares(caps []byte, path ...string) bool {
	v := wire.Get(caps, path...)
	return len(v) > 0 && string(v) != "false" && string(v) != "null"
}

const maxOthers = 64

// unlisted are the capabilities that are declared and not among those known:
// experimental ones, extensions, and whatever a peer makes up.
func (s *sides) unlisted(known []Capability) []Capability {
	var out []Capability
	add := func(server bool, n uint64, name string, value []byte) {
		same := func(c Capability) bool { return c.Server == server && c.Name == name }
		if len(out) < maxOthers && !slices.ContainsFunc(known, same) && declares(value) {
			c := Capability{Server: server, Name: clip(name, 100), Declared: true, N: n, Unknown: true}
			c.Extension = extension(name)
			c.Elsewhere = slices.ContainsFunc(gates, func(g gate) bool { return g.server == server && g.name == name })
			if v := string(value); v != "true" && v != "{}" {
				c.Value = clip(v, 200)
			}
			out = append(out, c)
		}
	}
	for i, side := range []*Side{&s.Client, &s.Server} {
		wire.Each(side.Caps, func(key, value []byte) bool {
			name := wire.Said([]byte(`"` + string(key) + `"`))
			inside := 0
			wire.Each(value, func(k, v []byte) bool {
				inside++
				add(i == 1, side.N, name+"."+wire.Said([]byte(`"`+string(k)+`"`)), v)
				return true
			})
			if inside == 0 {
				add(i == 1, side.N, name, value)
			}
			return true
		})
	}
	return out
}

// Sides returns what both sides of a session can do, false when nothing is
// known of that session.
func (b *Book) Sides(session int) (Sides, bool) {
	s := b.sides[session]
	if s == nil {
		return Sides{Session: session}, false
	}
	out := s.Sides
	out.Capabilities = s.capabilities()
	return out, true
}

// Talks lists the sessions with client requests, in order.
func (b *Book) Talks() []int {
	var out []int
	for i, s := range b.sides {
		if s.Requests > 0 {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}
