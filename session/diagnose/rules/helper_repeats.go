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

// often says how long a streak went on: "3 times within 12 s".
func often(s *diagnose.Streak) string {
	return number(s.Count) + " times within " + seconds(max(s.LastT-s.T, 1e8))
}

func listItems(c *diagnose.Case) []byte {
	for _, name := range [...]string{"tools", "prompts", "resources", "resourceTemplates", "tasks"} {
		if list := c.Result(name); list != nil {
			return list
		}
	}
	return nil
}
