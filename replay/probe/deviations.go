package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// deviation is something that the recorded client did otherwise than a conforming one
// does. Its texts may hold what a peer said.
type deviation struct {
	name  string // of a try: "without Mcp-Session-Id"
	cause string // behind "the cause is": "that Mcp-Session-Id is not sent"
	// legal says that the specification lets a client do so: who refuses it is wrong.
	legal bool
	// stale says that the server may have known it: whose fault it is, asking does not show.
	stale bool
	put   func(*attempt)
}

// find lists what the recorded client did otherwise, in the order in which it is put
// back, and makes the conforming attempt.
func (p *prober) find() (base attempt, all []deviation) {
	base = attempt{handshake: !p.modern && p.method != mcp.Initialize, initialized: true, fields: map[string]string{}}
	base.message = replay.Object(p.raw)
	add := func(d deviation) { all = append(all, d) }
	if base.message == nil { // no JSON, or no object: it goes as it is
		base.raw = p.raw
	}
	if base.handshake {
		p.life(add)
	}
	if p.opt.URL != nil {
		p.headers(add)
	}
	if base.message != nil {
		p.messages(base.message, add)
	}
	return base, all
}

// life are deviations of the life cycle.
func (p *prober) life(add func(deviation)) {
	began, ready := false, false
	for i := range p.script.Steps {
		step := &p.script.Steps[i]
		if int(step.Session) != p.session.Index || step.Frame >= p.frame {
			continue
		}
		switch p.script.Name(p.script.Row(step.Row)) {
		case mcp.Initialize:
			began = true
		case mcp.NotifyInitialized:
			ready = true
		}
	}
	switch {
	case !began:
		add(deviation{
			name: "without a handshake", cause: "that there is no initialize before the request",
			put: func(a *attempt) { a.handshake = false },
		})
	case !ready:
		add(deviation{
			name: "without notifications/initialized", cause: "that notifications/initialized is not sent before the request",
			put: func(a *attempt) { a.initialized = false },
		})
	}
}

// headers are deviations of the HTTP request.
func (p *prober) headers(add func(deviation)) {
	field := func(name, value string, legal bool) {
		d := deviation{name: name + ": " + words.Line(value, 60), legal: legal}
		d.stale = name == mcp.HeaderSessionID && value != ""
		d.put = func(a *attempt) { a.fields[name] = value }
		d.cause = fmt.Sprintf("that %s is %s", name, words.Line(value, 60))
		if value == "" {
			d.name, d.cause = "without "+name, "that "+name+" is not sent"
		}
		add(d)
	}
	was := p.head.Get
	if !p.modern && p.method != mcp.Initialize {
		if id := was(mcp.HeaderSessionID); !replay.HasMask(id) {
			field(mcp.HeaderSessionID, id, false)
		}
	}
	version := was(mcp.HeaderVersion)
	switch {
	case p.method == mcp.Initialize && version != "":
		field(mcp.HeaderVersion, version, true)
	case p.method != mcp.Initialize && version != string(p.version):
		// Without it a server assumes 2025-03-26 (2025-06-18 basic/transports).
		field(mcp.HeaderVersion, version, version == "" && p.version <= mcp.V20250326)
	}
	if accept := was("Accept"); !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream") {
		field("Accept", accept, false)
	}
	if media := was("Content-Type"); !wire.IsMediaType(media, "application/json") {
		field("Content-Type", media, false)
	}
	if p.modern {
		p.mirrors(field)
	}
	if origin := was("Origin"); origin != "" {
		field("Origin", origin, true)
	}
}

// mirrors are the fields that repeat the message (2026-07-28 basic/transports).
func (p *prober) mirrors(field func(name, value string, legal bool)) {
	if got := p.head.Get(mcp.HeaderMethod); got != p.method {
		field(mcp.HeaderMethod, got, false)
	}
	m, _ := wire.ScanMessage(p.raw)
	target := replay.TargetOf(p.method, m.Params)
	if got := p.head.Get(mcp.HeaderName); mcp.NameParam(p.method) != "" && target != "" && got != mcp.EncodeHeader(target) {
		field(mcp.HeaderName, got, false)
	}
}

// messages makes a message conforming, and adds what that changed.
func (p *prober) messages(message map[string]any, add func(deviation)) {
	c := &changes{add: add, fill: p.fill}
	if message["jsonrpc"] != "2.0" {
		c.set(message, "jsonrpc", "2.0", false)
	}
	switch id := message["id"].(type) {
	case string:
	case json.Number:
		if strings.ContainsAny(id.String(), ".eE") {
			c.set(message, "id", json.Number("1"), false)
		}
	default:
		c.set(message, "id", json.Number("1"), false)
	}
	if message["method"] != p.method {
		return
	}
	params, ok := message["params"].(map[string]any)
	switch {
	case ok:
	case message["params"] == nil && !p.modern && p.method != mcp.Initialize && p.method != mcp.ToolsCall:
		return
	default:
		params = map[string]any{}
		c.set(message, "params", params, false)
	}
	c.at = []string{"params"}
	switch {
	case p.method == mcp.Initialize:
		c.initialize(params)
	case p.modern:
		c.envelope(params, string(p.version))
	}
	if p.method == mcp.ToolsCall {
		c.arguments(params, p.tool)
	}
}

// changes makes an object conforming, and remembers how each member was.
type changes struct {
	at   []string // where the object is in the message
	add  func(deviation)
	fill bool // arguments that may be left out are there too
}

// set sets a member, nil for leaving it out, and adds the deviation that has it as it
// was.
func (c *changes) set(in map[string]any, name string, to any, legal bool) {
	was, there := in[name]
	path := append(slices.Clone(c.at), name)
	if in[name] = to; to == nil {
		delete(in, name)
	}
	where := strings.Join(path, ".")
	d := deviation{name: "without " + where, cause: "that " + where + " is left out", legal: legal}
	if there {
		shown := words.Line(string(replay.Encode(was)), 60)
		d.name, d.cause = where+": "+shown, "that "+where+" is "+shown
	}
	d.put = func(a *attempt) { restore(a.message, path, was, there) }
	c.add(d)
}

// restore has a member of a message as it was.
func restore(message map[string]any, path []string, was any, there bool) {
	for _, name := range path[:len(path)-1] {
		next, ok := message[name].(map[string]any)
		if !ok {
			return // what holds it is as it was already
		}
		message = next
	}
	if name := path[len(path)-1]; there {
		message[name] = was
	} else {
		delete(message, name)
	}
}

// initialize is what the first request has to have.
func (c *changes) initialize(params map[string]any) {
	version, _ := params["protocolVersion"].(string)
	if v := mcp.Version(version); !v.IsPublished() || v.IsModern() {
		c.set(params, "protocolVersion", string(mcp.LastHandshake), v.IsDate())
	}
	if _, ok := params["capabilities"].(map[string]any); !ok {
		c.set(params, "capabilities", map[string]any{}, false)
	}
	info, _ := params["clientInfo"].(map[string]any)
	if _, ok := info["name"].(string); !ok {
		c.set(params, "clientInfo", clientInfo(), false)
	} else if _, ok := info["version"].(string); !ok {
		c.set(params, "clientInfo", map[string]any{"name": info["name"], "version": "0"}, false)
	}
}

func clientInfo() map[string]any { return map[string]any{"name": "midwire probe", "version": "0"} }

// envelope is what each request of 2026-07-28 has to have (2026-07-28 basic).
func (c *changes) envelope(params map[string]any, version string) {
	meta, ok := params["_meta"].(map[string]any)
	if !ok {
		c.set(params, "_meta", map[string]any{
			mcp.MetaProtocolVersion: version, mcp.MetaClientInfo: clientInfo(),
			mcp.MetaClientCapabilities: map[string]any{},
		}, false)
		return
	}
	in := &changes{at: append(slices.Clone(c.at), "_meta"), add: c.add}
	if v, _ := meta[mcp.MetaProtocolVersion].(string); v == "" {
		in.set(meta, mcp.MetaProtocolVersion, version, false)
	}
	if _, ok := meta[mcp.MetaClientInfo].(map[string]any); !ok {
		in.set(meta, mcp.MetaClientInfo, clientInfo(), false)
	}
	if _, ok := meta[mcp.MetaClientCapabilities].(map[string]any); !ok {
		in.set(meta, mcp.MetaClientCapabilities, map[string]any{}, false)
	}
}
