package mock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"midwire/replay"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Stdio serves one client on a pair of pipes until in ends.
func (m *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := m.prepare(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	var mu sync.Mutex // guards out
	send := func(payload []byte) {
		mu.Lock()
		defer mu.Unlock()
		line := append(bytes.ReplaceAll(payload, []byte{'\n'}, nil), '\n')
		_, _ = out.Write(line) // the end of in says that the client has left
	}
	c := m.client("")
	c.stdio = true
	c.open(send)
	take := func(line []byte, _ string) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			m.line(ctx, &wg, c, bytes.Clone(line), send)
		}
	}
	var lines wire.LineFramer
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		lines.Feed(buf[:n], take)
		if lines.Pending() > replay.MaxMessage {
			return fmt.Errorf("the client sent a message of more than %d MiB", replay.MaxMessage>>20)
		}
		if err != nil {
			take(lines.Rest(), "")
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// line takes one message or batch. Which responses it gets is decided before the
// next is read; they come when they came in the recording.
func (m *Server) line(ctx context.Context, wg *sync.WaitGroup, c *client, line []byte, send func([]byte)) {
	var jobs []job
	n, batch := wire.ScanMessages(line, func(_ int, r wire.Message) bool {
		switch r.Kind {
		case wire.MsgRequest:
			jobs = append(jobs, m.job(ctx, c, r, send))
		case wire.MsgInvalid:
		default:
			c.received(&r)
		}
		return true
	})
	switch {
	case n == 0:
		send(replay.Refusal(nil, mcp.CodeParseError, "midwire mock: this is no JSON-RPC message"))
	case batch && len(jobs) > 0:
		wg.Go(func() {
			var all [][]byte
			for _, j := range jobs {
				survive(send, func() { j(func(response []byte) { all = append(all, response) }) })
			}
			send(batchOf(all))
		})
	default:
		for _, j := range jobs {
			wg.Go(func() { survive(send, func() { j(send) }) })
		}
	}
}

// survive does what may fail in midwire itself, and tells the client that it did.
func survive(send func([]byte), do func()) {
	if d := defect.Guard("a response", 0, do); d != nil {
		send(replay.Refusal(nil, mcp.CodeInternalError, "midwire mock: "+d.Error()))
	}
}

// job plays what a request gets; the response itself goes to give.
type job func(give func([]byte))

// job decides what a request gets.
func (m *Server) job(ctx context.Context, c *client, r wire.Message, send func([]byte)) job {
	if string(r.Method) == mcp.Ping {
		return func(give func([]byte)) { give(replay.Reply(r.ID, `"result":{}`)) }
	}
	call, code, why := c.find(&r)
	if call < 0 {
		return func(give func([]byte)) { give(replay.Refusal(r.ID, code, why)) }
	}
	inner, done := c.run(ctx, r.ID)
	return func(give func([]byte)) {
		defer done()
		response := c.respond(inner, call, &r, send)
		if response == nil || inner.Err() != nil {
			return // there is none in the recording, or it was cancelled
		}
		give(response)
		c.sendUnprompted(inner, call, &r)
	}
}

func batchOf(all [][]byte) []byte { return fmt.Appendf(nil, "[%s]", bytes.Join(all, []byte{','})) }
