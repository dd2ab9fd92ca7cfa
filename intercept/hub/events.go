package hub

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"time"

	"midwire/session/wire"
)

// longestRetry bounds how long a server may have its stream left alone.
const longestRetry = time.Minute

// stream reads events, and remembers where it stands.
type stream struct {
	last  string
	retry time.Duration
}

// read gives the data of each event to take, until the stream ends. It is errTooLong
// when an event does not.
func (s *stream) read(body io.Reader, take func(data []byte)) error {
	var framer wire.EventFramer
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		framer.Feed(buf[:n], func(raw []byte) { s.event(raw, take) })
		switch {
		case err != nil:
			return nil
		case framer.Pending() > maxBody:
			return errTooLong
		}
	}
}

func (s *stream) event(raw []byte, take func(data []byte)) {
	e := wire.ParseEvent(raw)
	if e.HasID {
		s.last = e.ID
	}
	if ms, err := time.ParseDuration(e.Retry + "ms"); err == nil && ms >= 0 {
		s.retry = min(ms, longestRetry)
	}
	if len(bytes.TrimSpace(e.Data)) > 0 {
		take(e.Data)
	}
}

// wait waits as long as the server wants before it is asked again.
func (s *stream) wait(ctx context.Context) {
	timer := time.NewTimer(cmp.Or(s.retry, time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
