package hub

import (
	"bytes"
	"strconv"

	"midwire/session/wire"
)

// question remembers a request of a server, and returns the id that it has for
// the client: those of two servers may be the same.
func (s *session) question(b *backend, m *wire.Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
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
