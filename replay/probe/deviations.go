package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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
	stale  bool
	before bool // it is the calls that came before: whose fault that is, is not shown
	// credential says that it is what the recording masks.
	credential bool
	put        func(*attempt)
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
	for _, q := range p.questions {
		if !q.does || p.opt.Yes {
			d := deviation{name: q.name, cause: q.cause, legal: q.legal}
			d.put = func(a *attempt) { a.odd = append(a.odd, q) }
			add(d)
		}
	}
	if row := p.script.CallRow(p.call); row.Batch > 0 || p.batched() {
		add(deviation{
			name: "in a batch", cause: "that the request comes in a batch",
			legal: p.version == mcp.V20250326, put: func(a *attempt) { a.batch = true },
		})
	}
	if p.opt.URL != nil {
		p.manners(&base, add)
	}
	return base, all
}

func (p *prober) batched() bool {
	payload, err := p.script.Payload(p.frame)
	return err == nil && len(bytes.TrimSpace(payload)) > 0 && bytes.TrimSpace(payload)[0] == '['
}

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

func field(name, value string, legal bool) deviation {
	d := deviation{name: name + ": " + words.Line(value, 60), legal: legal}
	d.put = func(a *attempt) { a.fields[name] = value }
	d.cause = fmt.Sprintf("that %s is %s", name, words.Line(value, 60))
	if value == "" {
		d.name, d.cause = "without "+name, "that "+name+" is not sent"
	}
	return d
}

func (p *prober) headers(add func(deviation)) {
	was := p.head.Get
	if id := was(mcp.HeaderSessionID); !p.modern && !replay.HasMask(id) && !p.overSSE() {
		switch {
		case id != "":
			d := field(mcp.HeaderSessionID, id, false)
			d.stale = true
			add(d)
		case p.method != mcp.Initialize:
			add(field(mcp.HeaderSessionID, "", false))
		}
	}
	asked := was(mcp.HeaderVersion)
	switch {
	case p.method == mcp.Initialize && asked != "":
		add(field(mcp.HeaderVersion, asked, true))
	case p.method != mcp.Initialize && asked != string(p.version):
		// Without it a server assumes 2025-03-26 (2025-06-18 basic/transports).
		add(field(mcp.HeaderVersion, asked, asked == "" && p.version <= mcp.V20250326))
	}
	if a := was("Accept"); !p.overSSE() && !(strings.Contains(a, "application/json") && strings.Contains(a, "text/event-stream")) {
		add(field("Accept", a, false))
	}
	if m := was("Content-Type"); m != "application/json" {
		add(field("Content-Type", m, wire.IsMediaType(m, "application/json")))
	}
	if p.modern {
		p.mirrors(add)
	}
	if value := was("Origin"); value != "" {
		add(field("Origin", value, true))
	}
	if p.was.denied() && p.opt.Header.Get("Authorization") != "" && was("Authorization") == "" {
		d := field("Authorization", "", false)
		d.cause = "that no credential is sent"
		add(d)
	}
}

// manners are what any HTTP client may do as it likes: how the body comes, which host it
// names, and, where nothing else is left, fields of its own.
func (p *prober) manners(base *attempt, add func(deviation)) {
	if p.head.Get("Transfer-Encoding") != "" {
		d := field("Transfer-Encoding", p.head.Get("Transfer-Encoding"), true)
		d.cause = "that the body comes in chunks, without Content-Length"
		add(d)
	}
	switch p.was.status {
	case 400, 403, 404, 421:
		add(field("Host", p.head.Get("Host"), true))
	}
	if p.more != bare {
		return
	}
	for _, f := range p.head.Fields {
		if replay.OwnField(f.Name) || replay.ProtocolField(f.Name) || replay.HasMask(f.Value) ||
			p.opt.Header.Get(f.Name) != "" {
			continue
		}
		base.fields[f.Name] = ""
		add(field(f.Name, f.Value, true))
	}
}

// mirrors are the fields that repeat the message (2026-07-28 basic/transports).
func (p *prober) mirrors(add func(deviation)) {
	if got := p.head.Get(mcp.HeaderMethod); got != p.method {
		add(field(mcp.HeaderMethod, got, false))
	}
	m, _ := wire.ScanMessage(p.raw)
	target := replay.TargetOf(p.method, m.Params)
	if got := p.head.Get(mcp.HeaderName); mcp.NameParam(p.method) != "" && target != "" && got != mcp.EncodeHeader(target) {
		add(field(mcp.HeaderName, got, false))
	}
}

// messages makes a message conforming, and adds what that changed.
func (p *prober) messages(message map[string]any, add func(deviation)) {
	c := &changes{add: add, more: p.more}
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
	in, ok := message["params"].(map[string]any)
	_, there := message["params"]
	switch {
	case ok:
	case !there && !p.modern && p.method != mcp.Initialize && p.method != mcp.ToolsCall:
		return
	default:
		in = map[string]any{}
		c.set(message, "params", in, false)
	}
	c.at = []string{"params"}
	switch {
	case p.method == mcp.Initialize:
		c.initialize(in)
	case p.modern:
		c.envelope(in, string(p.version))
	}
	if _, there := in["_meta"]; there && !p.modern && p.more == bare {
		c.set(in, "_meta", nil, true)
	}
	switch p.method {
	case mcp.ToolsCall:
		if p.meant != "" {
			c.set(in, "name", p.meant, false)
		}
		p.rounded(c, in)
		c.arguments(in, p.tool)
	case mcp.PromptsGet:
		c.blanks(in, p.tool)
	}
}

// changes makes an object conforming, and remembers how each member was.
type changes struct {
	at   []string // where the object is in the message
	add  func(deviation)
	more more
}

// unnoted makes objects conforming without anything to put back.
func unnoted() *changes { return &changes{add: func(deviation) {}} }

// member is for changes of a member of the object.
func (c *changes) member(name string) *changes {
	d := *c
	d.at = append(slices.Clone(c.at), name)
	return &d
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
	if c.more != bare {
		return
	}
	if v := mcp.Version(version); v != mcp.LastHandshake && params["protocolVersion"] == version {
		c.set(params, "protocolVersion", string(mcp.LastHandshake), true)
	}
	c.strip(params, "capabilities")
	c.strip(params, "clientInfo", "name", "version")
}

// strip leaves out the members of an object in params, but some.
func (c *changes) strip(params map[string]any, name string, but ...string) {
	object, _ := params[name].(map[string]any)
	in := c.member(name)
	for _, member := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(but, member) {
			in.set(object, member, nil, true)
		}
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
	in := c.member("_meta")
	if v, _ := meta[mcp.MetaProtocolVersion].(string); v == "" {
		in.set(meta, mcp.MetaProtocolVersion, version, false)
	}
	if _, ok := meta[mcp.MetaClientInfo].(map[string]any); !ok {
		in.set(meta, mcp.MetaClientInfo, clientInfo(), true) // it SHOULD be there (2026-07-28 basic)
	}
	if _, ok := meta[mcp.MetaClientCapabilities].(map[string]any); !ok {
		in.set(meta, mcp.MetaClientCapabilities, map[string]any{}, false)
	}
}
