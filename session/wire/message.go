package wire

import "slices"

// MessageKind is what a JSON-RPC message is.
type MessageKind uint8

// The kinds of message.
const (
	MsgInvalid MessageKind = iota
	MsgRequest
	MsgNotification
	MsgResult // a response with a result
	MsgError  // a response with an error
)

// Message is the envelope of one JSON-RPC message. Its slices share memory
// with the bytes that were scanned. It is tolerant: real peers send error
// responses with "id":null, with no id, or with an invented one. Of members that
// are there twice the last counts (see Duplicate).
type Message struct {
	Kind   MessageKind
	ID     []byte // raw JSON, quotes included: "1" and 1 are different ids; nil when absent
	Method []byte // without quotes, escapes decoded
	Params []byte // raw JSON, nil when absent
	Result []byte // raw JSON, nil when absent
	Error  []byte // raw JSON, nil when absent
	Raw    []byte // all of it

	Version []byte // the member "jsonrpc", raw JSON; nil when absent
}

// IsResponse reports whether the message responds to a request.
func (m *Message) IsResponse() bool { return m.Kind == MsgResult || m.Kind == MsgError }

// ScanMessage reads the envelope of one JSON-RPC message. It returns false for
// anything that is not a valid JSON object with the shape of a message: a
// "jsonrpc" or "id" member, and one of method, result and error.
func ScanMessage(data []byte) (Message, bool) {
	var m Message
	valid := Each(data, func(key, value []byte) bool {
		switch string(key) {
		case "jsonrpc":
			m.Version = value
		case "id":
			m.ID = value
		case "method":
			m.Method = methodName(value)
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Error = value
		}
		return true
	})
	if !valid || m.Version == nil && m.ID == nil {
		return Message{}, false
	}
	switch {
	case m.Method != nil && m.ID != nil:
		m.Kind = MsgRequest
	case m.Method != nil:
		m.Kind = MsgNotification
	case m.Error != nil:
		m.Kind = MsgError
	case m.Result != nil:
		m.Kind = MsgResult
	default:
		return Message{}, false
	}
	m.Raw = data
	return m, true
}

func methodName(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if slices.Contains(raw, '\\') {
		return []byte(Text(raw))
	}
	return raw[1 : len(raw)-1]
}

// IsArray reports whether a payload is a JSON array by its look: a batch, if it is
// JSON-RPC at all.
func IsArray(payload []byte) bool {
	i := skipSpace(payload, 0)
	return i < len(payload) && payload[i] == '['
}

// MaxBatch is the position of the last message of a batch that is read; honest peers send some.
const MaxBatch = 1 << 14

// ScanMessages reads a payload that is one message or a batch, and calls yield
// with each message and its position until yield returns false. An element of
// a batch that is no message is yielded as MsgInvalid. n is the number of
// messages and 0 when the payload is no JSON-RPC at all; an array counts as a
// batch when at least one element is a message.
func ScanMessages(payload []byte, yield func(i int, m Message) bool) (n int, batch bool) {
	if !IsArray(payload) {
		m, ok := ScanMessage(payload)
		if !ok {
			return 0, false
		}
		yield(0, m)
		return 1, false
	}
	some := false
	valid := Items(payload, func(i int, value []byte) bool {
		_, ok := ScanMessage(value)
		some = some || ok
		n++
		return true
	})
	if !valid || !some {
		return 0, false
	}
	Items(payload, func(i int, value []byte) bool {
		m, _ := ScanMessage(value)
		return yield(i, m) && i < MaxBatch
	})
	return n, true
}
