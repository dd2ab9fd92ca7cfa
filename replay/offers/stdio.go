package offers

import (
	"bytes"
	"io"
	"sync"

	"midwire/replay"
	"midwire/session/wire"
)

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
