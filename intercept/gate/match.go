package gate

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"midwire/session/filter"
	"midwire/session/wire"
)

// jqTime is how long a program may look at one message: its peers wait.
const jqTime = 200 * time.Millisecond

// condition reports whether a message is meant.
type condition = func(*Message) bool

// conditionOf makes the condition of a filter. A response is known by the method
// and tool of its request; but a filter that names them without saying what kind
// of message it means is about what begins.
func conditionOf(n *filter.Node) condition {
	if n == nil {
		return func(*Message) bool { return true }
	}
	match := nodeOf(n)
	if n.Asks("method", "tool") && !n.Asks("kind", "dir", "is", "status", "code") {
		return func(m *Message) bool { return !m.answers() && match(m) }
	}
	return match
}

func nodeOf(n *filter.Node) condition {
	var kids []condition
	for _, k := range n.Kids {
		kids = append(kids, nodeOf(k))
	}
	switch n.Kind {
	case filter.Not:
		return func(m *Message) bool { return !kids[0](m) }
	case filter.And:
		return func(m *Message) bool { return !slices.ContainsFunc(kids, func(k condition) bool { return !k(m) }) }
	case filter.Or:
		return func(m *Message) bool { return slices.ContainsFunc(kids, func(k condition) bool { return k(m) }) }
	}
	return termOf(n)
}

func termOf(n *filter.Node) condition {
	has := filter.TextMatch(n)
	switch n.Key {
	case "method":
		return func(m *Message) bool { return m.Method != "" && has(m.Method) }
	case "tool":
		return func(m *Message) bool { return m.Tool != "" && has(m.Tool) }
	case "session":
		return func(m *Message) bool { return m.Session != "" && has(m.Session) }
	case "id":
		op := strings.Replace(n.Op, ":", "=", 1) // the very id: 1 is not 10
		is := filter.TextMatch(&filter.Node{Op: op, Value: strings.Trim(n.Value, `"`), Match: n.Match})
		return func(m *Message) bool { return m.RPC.ID != nil && is(wire.Plain(m.RPC.ID)) }
	case "dir":
		d := wire.ToServer
		if n.Word == "s2c" {
			d = wire.ToClient
		}
		return func(m *Message) bool { return m.Dir == d }
	case "kind":
		return func(m *Message) bool { return m.is(n.Word) }
	case "is":
		want := n.Word == "error"
		return func(m *Message) bool { return (m.isResponse() || m.Status >= 400) && m.failed() == want }
	case "header", "http":
		in := filter.HeadMatch(n)
		return func(m *Message) bool { return len(m.Head) > 0 && in(m.Head) }
	case "status", "code", "size":
		return numberOf(n)
	case "jq":
		return jqOf(n)
	}
	return func(m *Message) bool { return wire.Spelled(m.Payload, func(b []byte) bool { return has(string(b)) }) }
}

func numberOf(n *filter.Node) condition {
	return func(m *Message) bool {
		var v int64
		switch n.Key {
		case "status":
			v = int64(m.Status)
		case "code":
			v, _ = wire.Int(wire.Get(m.RPC.Error, "code"))
		default:
			v = int64(len(m.Payload))
		}
		return (v != 0 || n.Key == "size") && filter.Compare(v, n.Op, n.Low, n.High)
	}
}

// jqOf asks a program. What it cannot be asked is not meant.
func jqOf(n *filter.Node) condition {
	return func(m *Message) bool {
		v, err := wire.Value(m.RPC.Raw)
		if err != nil {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), jqTime)
		defer cancel()
		holds, _ := filter.Holds(n.Code.RunWithContext(ctx, v))
		return holds
	}
}

func quoted(s string) []byte {
	b, _ := json.Marshal(s) // never fails
	return b
}
