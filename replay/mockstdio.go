package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Stdio serves one client on a pair of pipes until in ends.
func (m *Mock) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
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
		_, _ = out.Write(append(bytes.ReplaceAll(payload, []byte{'\n'}, nil), '\n')) // the end of in tells that it is gone
	}
	c := m.client("")
	c.stdio = true
	c.open(send)
	lines := bufio.NewReaderSize(in, 64<<10)
	message := incoming{in: newIntake(math.MaxInt64), quit: ctx.Done()}
	for {
		line, err := message.readLine(lines)
		message.drop()
		if errors.Is(err, errTooLong) {
			return fmt.Errorf("the client sent a message of more than %d MiB", maxMessage>>20)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			m.line(ctx, &wg, c, line, send)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// line takes one message or batch. Which answers it gets is decided before the
// next is read; they come when they came in the recording.
func (m *Mock) line(ctx context.Context, wg *sync.WaitGroup, c *client, line []byte, send func([]byte)) {
	var jobs []job
	n, batch := wire.ScanMessages(line, func(_ int, r wire.Message) bool {
		switch r.Kind {
		case wire.MsgRequest:
			jobs = append(jobs, m.job(ctx, c, r, send))
		case wire.MsgInvalid:
		default:
			c.heard(&r)
		}
		return true
	})
	switch {
	case n == 0:
		send(refuse(nil, mcp.CodeParseError, "midwire mock: this is no JSON-RPC message"))
	case batch && len(jobs) > 0:
		wg.Go(func() {
			var all [][]byte
			for _, j := range jobs {
				j(func(a []byte) { all = append(all, a) })
			}
			send(append(append([]byte{'['}, bytes.Join(all, []byte{','})...), ']'))
		})
	default:
		for _, j := range jobs {
			wg.Go(func() { j(send) })
		}
	}
}

// job plays what a request gets; the answer itself goes to give.
type job func(give func([]byte))

// job decides what a request gets.
func (m *Mock) job(ctx context.Context, c *client, r wire.Message, send func([]byte)) job {
	if string(r.Method) == mcp.Ping {
		return func(give func([]byte)) { give(reply(r.ID, []byte(`"result":{}`))) }
	}
	call, code, why := c.find(&r)
	if call < 0 {
		return func(give func([]byte)) { give(refuse(r.ID, code, why)) }
	}
	inner, done := c.run(ctx, r.ID)
	return func(give func([]byte)) {
		defer done()
		a := c.answer(inner, call, &r, send)
		if a == nil || inner.Err() != nil {
			return // unanswered in the recording, or cancelled
		}
		give(a)
		c.afterwards(inner, call, &r)
	}
}
