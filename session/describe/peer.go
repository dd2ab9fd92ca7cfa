package describe

import (
	"cmp"

	"midwire/session"
	"midwire/session/words"
)

// Peer names a peer by what it says of itself: "claude-code 2.1"; "" when it
// gave no name.
func Peer(p session.Peer) string {
	name := cmp.Or(p.Name, p.Title)
	if name == "" {
		return ""
	}
	return words.Join(name, p.Version)
}
