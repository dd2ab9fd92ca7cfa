package gate

import (
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Kind is what carries a message.
type Kind uint8

// The carriers of messages.
const (
	Line  Kind = iota // a line of a stdio server
	Body              // the head and body of an HTTP message
	Event             // an event of a stream
	Head              // the head of an HTTP message without a body, or before a stream
)

// Message is what conditions see: a message on its way. What the future would say
// of it is not there.
type Message struct {
	Dir     wire.Dir
	On      Kind
	RPC     wire.Message // Kind is MsgInvalid when there is no JSON-RPC
	Batch   int          // position in a batch
	Method  string       // of a response that of its request
	Tool    string       // likewise
	Verb    string       // of HTTP: that of the request
	Status  int          // of an HTTP response
	Head    []byte       // of HTTP
	Payload []byte       // the unit's, decoded
	Session string       // the session id, "" where there is none
}

func (m *Message) isResponse() bool { return m.RPC.IsResponse() }

// answers reports whether it is a response, if only by its HTTP head.
func (m *Message) answers() bool {
	return m.isResponse() || m.Status != 0 && m.RPC.Kind == wire.MsgInvalid
}

func (m *Message) failed() bool {
	return m.Status >= 400 || m.RPC.Kind == wire.MsgError || string(wire.Get(m.RPC.Result, "isError")) == "true"
}

func (m *Message) kind() string {
	switch {
	case m.RPC.Kind == wire.MsgRequest:
		return "request"
	case m.RPC.Kind == wire.MsgNotification:
		return "notification"
	case m.isResponse():
		return "response"
	}
	return [...]string{"line", "body", "event", "head"}[m.On]
}

// is reports whether it is of a kind as conditions name it: it may be of several.
func (m *Message) is(kind string) bool {
	switch kind {
	case "head":
		return m.On == Head || m.On == Body
	case "event":
		return m.On == Event
	case "line":
		return m.On == Line
	case "noise":
		return m.RPC.Kind == wire.MsgInvalid && m.On != Head && len(m.Payload) > 0
	case "call":
		kind = "request"
	}
	return m.kind() == kind
}

// call is what is kept of a request until its response has come.
type call struct{ method, tool string }

// talk is a session as far as the gate needs it: what is pending.
// What is not known by a session id is known by the connection.
type talk struct {
	id      string
	pending map[string]call // by direction and id
	expired int             // it was made to expire: the status that its requests get
	inQuery bool            // its requests name it in their target, as in 2024-11-05
}

const maxPending = 10_000

func (t *talk) begin(m *Message) {
	if m.RPC.Kind != wire.MsgRequest {
		return
	}
	if t.pending == nil || len(t.pending) > maxPending {
		t.pending = map[string]call{}
	}
	t.pending[string(m.Dir)+string(m.RPC.ID)] = call{method: m.Method, tool: m.Tool}
}

// answered finds the request of a response, and forgets it.
func (t *talk) answered(m *Message) (call, bool) {
	key := string(m.Dir.Opposite()) + string(m.RPC.ID)
	c, ok := t.pending[key]
	delete(t.pending, key)
	return c, ok
}

// toolOf is the tool that a request calls, "" for none.
func toolOf(m *wire.Message) string {
	if string(m.Method) != mcp.ToolsCall {
		return ""
	}
	return wire.Text(wire.Get(m.Params, "name"))
}
