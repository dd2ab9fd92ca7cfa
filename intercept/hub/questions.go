package hub

import (
	"bytes"
	"strconv"

	"midwire/session/wire"
)

// maxAsked bounds the requests of servers that wait for one client, and the calls
// that wait for its input.
const maxAsked = 1000

// question remembers a request of a server, and returns the id that it has for
// the client: those of two servers may be the same. "" when too many wait already.
func (s *session) question(b *backend, m *wire.Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) >= maxAsked {
		return ""
	}
	s.lastID++
	s.asked[s.lastID] = question{b: b, id: string(m.ID), token: string(progressToken(m))}
	return strconv.FormatInt(s.lastID, 10)
}

// withdrawn forgets a request that its server has cancelled, and returns its id
// for the client.
func (s *session) withdrawn(b *backend, id []byte) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, q := range s.asked {
		if q.b == b && bytes.Equal([]byte(q.id), id) {
			delete(s.asked, n)
			return strconv.FormatInt(n, 10), true
		}
	}
	return "", false
}
