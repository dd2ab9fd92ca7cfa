package insight

import (
	"slices"
	"strings"

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
	Elsewhere bool   // it is declared, and of another revision than the session's
	Unknown   bool   // nothing is known that it stands for: how often it is used cannot be said
}

// Undeclared says that something was used that nobody had declared.
func (c *Capability) Undeclared() bool { return !c.Declared && c.Used > 0 }

// Idle says that something was declared and never used.
func (c *Capability) Idle() bool { return c.Declared && c.Used == 0 && !c.Unknown }

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
	{name: "roots", uses: []use{{down, "roots/list"}}},
	{name: "roots.listChanged", uses: []use{{up, "notifications/roots/list_changed"}}, era: legacy},
	{name: "sampling", uses: []use{{down, "sampling/createMessage"}}},
	{name: "sampling.tools", uses: []use{{down, "sampling/createMessage#tools"}}},
	{name: "sampling.context", uses: []use{{down, "sampling/createMessage#context"}}},
	{name: "elicitation", uses: []use{{down, "elicitation/create"}}},
	{name: "elicitation.form", uses: []use{{down, "elicitation/create#form"}}},
	{name: "elicitation.url", uses: []use{{down, "elicitation/create#url"}}},
	{name: "tasks", uses: []use{{down, "sampling/createMessage#task"}, {down, "elicitation/create#task"}, {down, "tasks/get"}, {down, "tasks/result"}}, era: legacy},
	{name: "tasks.list", uses: []use{{down, "tasks/list"}}, era: legacy},
	{name: "tasks.cancel", uses: []use{{down, "tasks/cancel"}}, era: legacy},
	{server: true, name: "tools", uses: []use{{up, "tools/list"}, {up, "tools/call"}}},
	{server: true, name: "tools.listChanged", uses: []use{{down, "notifications/tools/list_changed"}}},
	{server: true, name: "prompts", uses: []use{{up, "prompts/list"}, {up, "prompts/get"}}},
	{server: true, name: "prompts.listChanged", uses: []use{{down, "notifications/prompts/list_changed"}}},
	{server: true, name: "resources", uses: []use{{up, "resources/list"}, {up, "resources/templates/list"}, {up, "resources/read"}}},
	{server: true, name: "resources.subscribe", uses: []use{{up, "resources/subscribe"}, {up, "resources/unsubscribe"}, {down, "notifications/resources/updated"}}},
	{server: true, name: "resources.listChanged", uses: []use{{down, "notifications/resources/list_changed"}}},
	{server: true, name: "logging", uses: []use{{up, "logging/setLevel"}, {up, "_meta#logLevel"}, {down, "notifications/message"}}},
	{server: true, name: "completions", uses: []use{{up, "completion/complete"}}},
	{server: true, name: "tasks", uses: []use{{up, "tools/call#task"}, {up, "tasks/get"}, {up, "tasks/result"}}, era: legacy},
	{server: true, name: "tasks.list", uses: []use{{up, "tasks/list"}}, era: legacy},
	{server: true, name: "tasks.cancel", uses: []use{{up, "tasks/cancel"}}, era: legacy},
	{server: true, name: "extensions.io.modelcontextprotocol/tasks", uses: []use{{up, "tasks/get"}, {up, "tasks/update"}, {up, "tasks/cancel"}, {down, "notifications/tasks"}}, era: modern},
}

// plain are the capabilities that are told of even when they are not declared.
func isPlain(name string) bool { return !strings.Contains(name, ".") }

// capabilities lists what is declared or used, and the plain ones in any case.
func (s *sides) capabilities() []Capability {
	var out []Capability
	for _, g := range gates {
		if g.era == legacy && s.Modern || g.era == modern && !s.Modern {
			continue
		}
		c := Capability{Server: g.server, Name: g.name}
		s.declared(&c)
		for _, u := range g.uses {
			if at := s.uses[u]; at != nil {
				c.Used += at.n
				if c.First == 0 || at.first < c.First {
					c.First = at.first
				}
			}
		}
		if c.Declared || c.Used > 0 && !implied(&c, s) || isPlain(c.Name) {
			out = append(out, c)
		}
	}
	return append(out, s.others(out)...)
}

// implied says whether what a capability stands for is allowed by the one that
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
	if in, ok := strings.CutPrefix(c.Name, "extensions."); ok {
		path = []string{"extensions", in}
	} else if before, after, ok := strings.Cut(c.Name, "."); ok {
		path = []string{before, after}
	}
	if declares(side.Caps, path...) {
		c.Declared, c.N = true, side.N
	}
}

// declares says whether a capability is there. A member that is false or null
// counts as not declared.
func declares(caps []byte, path ...string) bool {
	v := wire.Get(caps, path...)
	return len(v) > 0 && string(v) != "false" && string(v) != "null"
}

const maxOthers = 64

// others are the capabilities that are declared and not among those known:
// experimental ones, extensions, and whatever a peer makes up.
func (s *sides) others(known []Capability) []Capability {
	var out []Capability
	add := func(server bool, n uint64, name string, value []byte) {
		same := func(c Capability) bool { return c.Server == server && c.Name == name }
		if len(out) < maxOthers && !slices.ContainsFunc(known, same) && declares(value) {
			c := Capability{Server: server, Name: clip(name, 100), Declared: true, N: n, Unknown: true}
			c.Elsewhere = slices.ContainsFunc(gates, func(g gate) bool { return g.server == server && g.name == name })
			if v := string(value); v != "true" && v != "{}" {
				c.Value = clip(v, 200)
			}
			out = append(out, c)
		}
	}
	for i, side := range []*Side{&s.Client, &s.Server} {
		wire.Each(side.Caps, func(key, value []byte) bool {
			name := wire.Text([]byte(`"` + string(key) + `"`))
			inside := 0
			wire.Each(value, func(k, v []byte) bool {
				inside++
				add(i == 1, side.N, name+"."+wire.Text([]byte(`"`+string(k)+`"`)), v)
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

// Talks lists the sessions in which a client asked for something, in order.
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
