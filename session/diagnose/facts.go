package diagnose

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Facts is what a Checker remembers of a session for the rules.
type Facts struct {
	Session *session.Session
	// Init is the latest initialize, nil when none was seen.
	Init *Init
	// Initialized is the frame of notifications/initialized, 0 when none was
	// seen; InitializedT is when.
	Initialized  uint64
	InitializedT int64
	Calls        int              // requests of the client, initialize and ping not counted
	Results      int              // of them, those that got a result
	Tools        map[string]*Tool // latest definition of each tool
	ToolList     uint64           // frame of the latest tools/list result
	LastOK       int64            // when the server last responded with a result
	ServesModern bool             // the server has shown that it serves 2026-07-28
	Offered      Offer            // what the server says last that it can do

	definition func(raw []byte) []byte
	state      []any // of rules, by their slot
}

// Offer is what a server says that it can do, in the response to initialize or to
// server/discover. Without such a response it is empty.
type Offer struct {
	Caps []byte // at most maxCaps
	N    uint64 // frame of the response
}

// Init is a handshake.
type Init struct {
	Row          int32
	N, ResponseN uint64 // frames of question and response; AnswerN 0 while there is none
	T, ResponseT int64
	OK           bool // responded with a result
	Refused      bool // responded with an error, or by HTTP alone, or never
	Requested    mcp.Version
	Chosen       mcp.Version
	ClientInfo   []byte
	ClientCaps   []byte
	ServerCaps   []byte
	Conn         uint32
}

// Call is a request that waits for its response, either way.
type Call struct {
	Row      int32
	N        uint64
	T        int64
	Dir      wire.Dir
	Method   string
	Target   string // tool, prompt or task by its name, resource by its URI
	ID       string // raw JSON
	Token    string // progress token, raw JSON
	Params   []byte // raw JSON, nil when there are none or more than MaxParams
	Args     []byte // arguments of Params
	Meta     []byte // _meta of Params
	X, Conn  uint32
	Modern   bool        // it carries the envelope of 2026-07-28
	Version  mcp.Version // of the envelope
	Caps     []byte      // clientCapabilities of the envelope
	LogLevel string      // of the envelope
	Progress int         // notifications so far
	Done     bool        // the latest says that all is done
	Cancel   uint64      // frame of its cancellation
	CancelT  int64

	same uint64 // see Same, 0 before it is asked for
}

// Same is the hash of the call without what differs every time: its id and its _meta.
func (c *Call) Same() uint64 {
	if c.same != 0 {
		return c.same
	}
	h := wire.HashOn(wire.HashOn(wire.HashSeed, []byte(c.Method)), []byte{0})
	before, behind := c.Params, []byte(nil)
	if c.Meta != nil {
		from := cap(c.Params) - cap(c.Meta) // a part of them
		before, behind = c.Params[:from], c.Params[from+len(c.Meta):]
	}
	c.same = wire.HashOn(wire.HashOn(h, before), behind)
	return c.same
}

// Tool is a tool as a server defined it.
type Tool struct {
	Name      string
	N         uint64 // frame of the tools/list result
	Raw       []byte // the definition
	Input     []byte // inputSchema
	Output    []byte // outputSchema, nil when there is none
	Execution []byte // nil when there is none
	App       session.App
}

// Capability says whether a capability was declared, like
// Capability(f.Init.ServerCaps, "tools", "listChanged"). A member that is false
// or null counts as not declared.
func Capability(caps []byte, path ...string) bool {
	v := wire.Get(caps, path...)
	return len(v) > 0 && string(v) != "false" && string(v) != "null"
}

// Negotiated says that a handshake was seen from beginning to end.
func (f *Facts) Negotiated() bool { return f.Init != nil && f.Init.OK }

// request remembers a request.
func (f *Facts) request(e *session.Event, method string, most int) *Call {
	c := &Call{
		Row: e.Row, N: e.N, T: e.T, Dir: e.Dir, Method: method, Modern: e.Modern,
		ID: string(e.Message.ID),
	}
	if p := e.Message.Params; len(p) > 0 && len(p) <= most {
		c.Params = append([]byte(nil), p...)
		c.Args, c.Meta = c.part(p, e.Param("arguments")), c.part(p, e.Param("_meta"))
	}
	if key := mcp.Target(method); key != "" {
		c.Target = wire.Said(e.Param(key))
	}
	if e.Exchange != nil {
		c.X, c.Conn = e.Exchange.X, e.Exchange.Conn
	}
	if len(c.Meta) > 0 {
		c.envelope()
	}
	switch {
	case e.Dir != wire.ToServer || method == mcp.Ping:
	case method == mcp.Initialize:
		f.Init = c.init()
	default:
		f.Calls++
	}
	return c
}

// part is the part of Params that is a copy of a part of params.
func (c *Call) part(params, part []byte) []byte {
	if part == nil {
		return nil
	}
	from := cap(params) - cap(part) // they share their memory
	return c.Params[from : from+len(part)]
}

// init is the handshake that a request begins.
func (c *Call) init() *Init {
	return &Init{
		Row: c.Row, N: c.N, T: c.T, Conn: c.Conn,
		Requested:  mcp.Version(wire.Said(wire.Get(c.Params, "protocolVersion"))),
		ClientInfo: wire.Get(c.Params, "clientInfo"),
		ClientCaps: wire.Get(c.Params, "capabilities"),
	}
}

// AsksForState says whether a tool is made for being asked again and again.
func AsksForState(tool string) bool {
	return words.Holds(words.Fold(tool), "status", "state", "wait", "poll", "progress", "check", "watch", "ping", "health", "time", "next", "random")
}

// response remembers what a response says.
func (f *Facts) response(e *session.Event, c *Call) {
	ok := e.Message.Kind == wire.MsgResult
	if ok && c.Dir == wire.ToServer {
		f.LastOK = e.T
		if c.Method != mcp.Initialize && c.Method != mcp.Ping {
			f.Results++
		}
	}
	r := e.Message.Result
	if c.Modern && !f.ServesModern {
		f.ServesModern = servesModern(c.Method, &e.Message)
	}
	if ok && c.Dir == wire.ToServer && (c.Method == mcp.Initialize || c.Method == mcp.Discover) {
		if caps := wire.Get(r, "capabilities"); caps != nil && len(caps) <= maxCaps {
			f.Offered = Offer{append([]byte(nil), caps...), e.N}
		}
	}
	switch {
	case c.Method == mcp.Initialize:
		if f.Init == nil || f.Init.Row != c.Row { // the session began with this response
			f.Init = c.init()
		}
		f.Init.ResponseN, f.Init.ResponseT, f.Init.OK, f.Init.Refused = e.N, e.T, ok, !ok
		f.Init.Chosen = mcp.Version(wire.Said(wire.Get(r, "protocolVersion")))
		if caps := wire.Get(r, "capabilities"); len(caps) <= maxCaps {
			f.Init.ServerCaps = append([]byte(nil), caps...)
		}
	case c.Method == mcp.ToolsList && ok:
		f.ToolList = e.N
		f.tools(e.N, wire.Get(r, "tools"))
	}
}

// servesModern says whether a response to a request of 2026-07-28 shows that the
// server serves that protocol version. An older one may respond to such a request too, in
// its own way; and one that responds server/discover may list only older
// protocol versions.
func servesModern(method string, m *wire.Message) bool {
	if m.Kind != wire.MsgResult {
		code, _ := wire.Int(wire.Get(m.Error, "code"))
		return code == mcp.CodeHeaderMismatch || code == mcp.CodeMissingCapability
	}
	if method != mcp.Discover {
		return wire.Get(m.Result, "resultType") != nil
	}
	modern := false
	wire.Items(wire.Get(m.Result, "supportedVersions"), func(_ int, v []byte) bool {
		modern = mcp.Version(wire.Said(v)).IsModern()
		return !modern
	})
	return modern
}

func (f *Facts) tools(n uint64, list []byte) {
	wire.Items(list, func(_ int, raw []byte) bool {
		name := wire.Said(wire.Get(raw, "name"))
		if old := f.Tools[name]; old != nil && string(old.Raw) == string(raw) {
			old.N = n
			return true
		}
		if f.Tools == nil {
			f.Tools = map[string]*Tool{}
		}
		t := &Tool{Name: name, N: n, Raw: f.definition(raw)}
		t.Input, t.Output = wire.Get(t.Raw, "inputSchema"), wire.Get(t.Raw, "outputSchema")
		t.Execution, t.App = wire.Get(t.Raw, "execution"), session.ReadApp(t.Raw)
		f.Tools[name] = t
		return len(f.Tools) < maxTools
	})
}

// envelope reads what _meta says of the call.
func (c *Call) envelope() {
	wire.Members(c.Meta, func(key, value []byte) bool {
		switch string(key) {
		case mcp.MetaProgressToken:
			c.Token = string(value)
		case mcp.MetaProtocolVersion:
			c.Version = mcp.Version(wire.Said(value))
		case mcp.MetaClientCapabilities:
			c.Caps = value
		case mcp.MetaLogLevel:
			c.LogLevel = wire.Said(value)
		}
		return true
	})
	if !c.Modern {
		c.Version, c.Caps, c.LogLevel = "", nil, ""
	}
}

// notification remembers what a notification says of the session, and of the
// call it belongs to, nil for none.
func (f *Facts) notification(e *session.Event, method string, call *Call) {
	switch {
	case method == mcp.NotifyInitialized && e.Dir == wire.ToServer:
		if f.Initialized == 0 {
			f.Initialized, f.InitializedT = e.N, e.T
		}
	case method == mcp.NotifyProgress && call != nil:
		call.Progress++
		total := wire.Get(e.Message.Params, "total")
		call.Done = total != nil && string(total) == string(wire.Get(e.Message.Params, "progress"))
	case method == mcp.NotifyCancelled && call != nil && call.Cancel == 0:
		call.Cancel, call.CancelT = e.N, e.T
	}
}
