package reload

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// talk is what a Keeper remembers of the conversation, to continue it with another process.
type talk struct {
	initialize  []byte // the client's line
	helloID     []byte
	response    []byte // the result of the first process
	initialized []byte // the client's line
	served      bool   // a response came

	pending [][]byte          // ids of requests to the process
	asked   map[string]string // ids of its requests to the client
	stale   map[string]bool   // those of processes before
}

// sent takes what was written to the process.
func (t *talk) sent(p piece) {
	if !p.whole {
		return
	}
	wire.ScanMessages(p.data, func(_ int, m wire.Message) bool {
		switch {
		case m.Kind == wire.MsgRequest:
			t.pending = append(t.pending, bytes.Clone(m.ID))
			if string(m.Method) == mcp.Initialize {
				t.initialize, t.helloID, t.response = bytes.Clone(p.data), bytes.Clone(m.ID), nil
			}
		case string(m.Method) == mcp.NotifyInitialized:
			t.initialized = bytes.Clone(p.data)
		case m.IsResponse():
			delete(t.asked, wire.ID(m.ID))
		}
		return true
	})
}

// said takes what the process said. isHello is that it holds the response to initialize,
// with its result, nil for an error.
func (t *talk) said(p piece) (result []byte, isHello bool) {
	if !p.whole {
		return nil, false
	}
	wire.ScanMessages(p.data, func(_ int, m wire.Message) bool {
		switch {
		case m.Kind == wire.MsgRequest:
			if t.asked == nil {
				t.asked, t.stale = map[string]string{}, map[string]bool{}
			}
			t.asked[wire.ID(m.ID)] = string(m.ID)
			delete(t.stale, wire.ID(m.ID))
		case m.IsResponse():
			t.served = true
			t.pending = slices.DeleteFunc(t.pending, func(id []byte) bool { return wire.ID(id) == wire.ID(m.ID) })
			if t.initialize != nil && wire.ID(m.ID) == wire.ID(t.helloID) {
				result, isHello = bytes.Clone(m.Result), true
			}
		}
		return true
	})
	if isHello && t.response == nil {
		t.response = result
	}
	return result, isHello
}

// asks reports whether a line holds a request.
func (t *talk) asks(line []byte) (asks bool) {
	wire.ScanMessages(line, func(_ int, m wire.Message) bool {
		asks = asks || m.Kind == wire.MsgRequest
		return !asks
	})
	return asks
}

// isStale reports whether a line is a response to what only a process before has asked. It
// would answer a request of the new one that has the same id.
func (t *talk) isStale(line []byte) bool {
	if len(t.stale) == 0 {
		return false
	}
	m, ok := wire.ScanMessage(line)
	if !ok || !m.IsResponse() || !t.stale[wire.ID(m.ID)] {
		return false
	}
	delete(t.stale, wire.ID(m.ID))
	return true
}

// forget is the end of a process: it returns the ids of its requests to the client.
func (t *talk) forget() (ids []string) {
	for key, id := range t.asked {
		t.stale[key] = true
		ids = append(ids, id)
	}
	slices.Sort(ids)
	clear(t.asked)
	return ids
}

// lists are the notifications that lists changed, of the lists for which the client was
// told to expect them.
func (t *talk) lists() (all []string) {
	for _, l := range [...][2]string{
		{"tools", mcp.NotifyToolsListChanged},
		{"prompts", mcp.NotifyPromptsListChanged},
		{"resources", mcp.NotifyResourcesListChanged},
	} {
		if string(wire.Get(t.response, "capabilities", l[0], "listChanged")) == "true" {
			all = append(all, l[1])
		}
	}
	return all
}

// differences are what two results of initialize do not have in common, in words: first as
// it was. Both are equal when there is none. Values are named only where they are no
// secrets.
func differences(was, now []byte) (before, after string) {
	var b, a []string
	for _, path := range [...][]string{{"protocolVersion"}, {"serverInfo", "name"}, {"serverInfo", "version"}} {
		old, fresh := wire.Text(wire.Get(was, path...)), wire.Text(wire.Get(now, path...))
		if old != fresh {
			name := strings.Join(path, ".")
			b, a = append(b, name+" "+old), append(a, name+" "+fresh)
		}
	}
	one := func(name string, old, fresh []byte) {
		switch {
		case sameJSON(old, fresh):
		case fresh == nil:
			b, a = append(b, name), append(a, "no "+name)
		case old == nil:
			b, a = append(b, "no "+name), append(a, name)
		default:
			b, a = append(b, name), append(a, "other "+name)
		}
	}
	one("instructions", wire.Get(was, "instructions"), wire.Get(now, "instructions"))
	caps := map[string]bool{}
	for _, of := range [...][]byte{was, now} {
		wire.Members(wire.Get(of, "capabilities"), func(key, _ []byte) bool {
			caps[string(key)] = true
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(caps)) {
		one("capabilities."+name, wire.Get(was, "capabilities", name), wire.Get(now, "capabilities", name))
	}
	return strings.Join(b, ", "), strings.Join(a, ", ")
}

// sameJSON compares two JSON values without regard to order and space.
func sameJSON(a, b []byte) bool {
	if a == nil || b == nil || bytes.Equal(a, b) {
		return bytes.Equal(a, b)
	}
	plain := func(raw []byte) string {
		var v any
		if json.Unmarshal(raw, &v) != nil {
			return string(raw)
		}
		text, _ := json.Marshal(v) // its own
		return string(text)
	}
	return plain(a) == plain(b)
}

func quoted(text string) []byte {
	out, _ := json.Marshal(text) // a string
	return out
}
