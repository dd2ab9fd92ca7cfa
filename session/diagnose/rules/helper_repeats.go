package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// hashOf is the hash of several texts, each apart from the next.
func hashOf[T string | []byte](parts ...T) uint64 {
	h := uint64(wire.HashSeed)
	for _, p := range parts {
		h = wire.HashOn(wire.HashOn(h, []byte(p)), []byte{0})
	}
	return h
}

// sameParams is the hash of a call without what differs every time: its id and its
// _meta.
func sameParams(call *diagnose.Call) uint64 {
	h := hashOf(call.Method)
	if call.Meta == nil {
		return wire.HashOn(h, call.Params)
	}
	wire.Members(call.Params, func(key, value []byte) bool {
		if string(key) != "_meta" {
			h = wire.HashOn(wire.HashOn(wire.HashOn(h, key), []byte{0}), value)
		}
		return true
	})
	return h
}

// often says how long a streak went on: "3 times within 12 s".
func often(s *diagnose.Streak) string {
	return number(s.Count) + " times within " + seconds(max(s.LastT-s.T, 1e8))
}

// listItems is the member of a list result that holds the list.
func listItems(c *diagnose.Case) []byte {
	for _, name := range [...]string{"tools", "prompts", "resources", "resourceTemplates", "tasks"} {
		if list := c.Result(name); list != nil {
			return list
		}
	}
	return nil
}
