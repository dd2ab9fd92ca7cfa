package run

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"midwire/replay"
	"midwire/session/wire"
)

// What a server may have a replay take, beside replay.MaxMessage: it may be
// anyone's.
const (
	maxTotal     = 1 << 30  // bytes of all that it sends during a run
	largeMessage = 1 << 20  // from here on a message is large,
	largeAtOnce  = 2        // and no more of them are held at a time
	maxEndpoint  = 64 << 10 // bytes of an endpoint event
)

var (
	errTooLong = fmt.Errorf("the server sent a message of more than %d MiB, which is not read", replay.MaxMessage>>20)
	errTooMuch = fmt.Errorf("the server sent more than %d GiB, and is not listened to any more", maxTotal>>30)
	errLeft    = errors.New("the server was left")
)

func isLimit(err error) bool { return errors.Is(err, errTooLong) || errors.Is(err, errTooMuch) }

// intake bounds what a run takes from its server. Its methods may be called by
// any goroutine.
type intake struct {
	left  atomic.Int64  // of maxTotal
	large chan struct{} // one for each large message that is read, or not handled yet
}

func newIntake(most int64) *intake {
	in := &intake{large: make(chan struct{}, largeAtOnce)}
	in.left.Store(most)
	return in
}

func (in *intake) take(n int) error {
	if in.left.Add(-int64(n)) < 0 {
		return errTooMuch
	}
	return nil
}

func (in *intake) free(large bool) {
	if large {
		<-in.large
	}
}

// incoming is a message that is being read. It belongs to one goroutine.
type incoming struct {
	in   *intake
	quit <-chan struct{} // ends waiting for room
	size int
	held bool // it is large, and there was room
}

// add counts bytes of the message. It waits while too many large messages are
// held; an error says that the message is not to be read any further.
func (m *incoming) add(n int) error {
	if err := m.in.take(n); err != nil {
		return err
	}
	if m.size += n; m.size > replay.MaxMessage {
		return errTooLong
	}
	if m.size > largeMessage && !m.held {
		select {
		case m.in.large <- struct{}{}:
			m.held = true
		case <-m.quit:
			return errLeft
		}
	}
	return nil
}

// next begins another message. It reports whether the one before was large: who
// takes that frees it.
func (m *incoming) next() (large bool) {
	large, m.held, m.size = m.held, false, 0
	return large
}

// take hands what was read to the driver, who starts with it when it is its turn. What the user
// gave as a secret is masked in it, as it is in a recording: it is compared with one.
func (r *run) take(c *connection, a reply, from *incoming) {
	a.payload, _ = r.hide.Mask(a.payload)
	r.arrive(arrival{func() { r.received(c, a) }, from.next()})
}

func (m *incoming) drop() { m.in.free(m.next()) }

// readLine reads a line without its end. The error may come with the last one.
func (m *incoming) readLine(r *bufio.Reader) ([]byte, error) {
	var line wire.Pieces
	for {
		some, err := r.ReadSlice('\n')
		if over := m.add(len(some)); over != nil {
			return nil, over
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return append([]byte{}, line.Take(some)...), err
		}
		line.Add(some)
	}
}

func (m *incoming) readBody(r io.Reader) ([]byte, error) {
	var body wire.Pieces
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if over := m.add(n); over != nil {
			return nil, over
		}
		body.Add(buf[:n])
		if errors.Is(err, io.EOF) {
			return body.Take(nil), nil
		}
		if err != nil {
			return body.Take(nil), err
		}
	}
}
