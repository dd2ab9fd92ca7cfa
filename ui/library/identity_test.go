package library

import (
	"testing"

	"midwire/session"
)

// Names are those of the clients, with a number where several have one, and are
// right again when one says its name later.
func TestSessionNames(t *testing.T) {
	r := &Recording{}
	r.identities = identities{}
	check := func(clients []string, want ...string) {
		t.Helper()
		all := make([]*session.Session, len(clients))
		for i, c := range clients {
			all[i] = &session.Session{Index: i, Client: session.Peer{Name: c}}
		}
		r.identities.name(all)
		for i, w := range want {
			if got := string(r.identities.names[i]); got != w {
				t.Errorf("session %d is %q, want %q", i, got, w)
			}
		}
	}
	check([]string{"goose", "", "cursor"}, "goose", "no name", "cursor")
	check([]string{"goose", "goose", "cursor"}, "goose 1", "goose 2", "cursor")
	check([]string{"a\x1b[2J", ""}, "a␛[2J", "no name")
}
