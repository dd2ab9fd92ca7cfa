// Package offers plays servers that are correct and unusual: pages, event streams in all
// spellings that the standard allows, streams that are cut and resumed, questions to the
// client, notifications in between. A client that fails at one is at fault.
//
// Begin with Server, which plays one of resilience.Offers.
// Stdio here and Serve in http.go are the transports, session.go is what both share. What belongs to
// an offer is marked, in _meta or in a field of an HTTP response: so a recording says
// whether it was made.
package offers

import (
	"bytes"
	"io"
	"sync"
	"time"

	"midwire/replay"
	"midwire/session/wire"
)

// Server plays one offer, or an ordinary server.
type Server struct {
	Offer string        // its name, "" for an ordinary server
	Tools []string      // names of tools that are listed besides
	Slow  time.Duration // how long slow-call takes
}

// Stdio serves one client on a pair of pipes until in ends.
func (s *Server) Stdio(in io.Reader, out io.Writer) error {
	c := s.session()
	var mu sync.Mutex // guards out
	var wg sync.WaitGroup
	defer wg.Wait()
	send := func(payload []byte) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = out.Write(append(oneLine(payload), '\n')) // the end of in says that the client has left
	}
	c.aside = send
	take := func(line []byte, _ string) {
		m, ok := wire.ScanMessage(bytes.Clone(bytes.TrimSpace(line)))
		switch {
		case !ok:
		case m.Kind == wire.MsgRequest:
			wg.Go(func() { send(c.respond(&m, send)) })
		default:
			c.received(&m)
		}
	}
	var lines wire.LineFramer
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		lines.Feed(buf[:n], take)
		if err != nil || lines.Pending() > replay.MaxMessage {
			return nil
		}
	}
}

// oneLine is a message without line ends, which are blanks in it.
func oneLine(payload []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, payload)
}
