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
	var data [][]byte
	for line := range bytes.Lines(raw) {
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			data = append(data, value)
		case "id":
			s.last = string(value)
		case "retry":
			if ms, err := time.ParseDuration(string(value) + "ms"); err == nil && ms >= 0 {
				s.retry = min(ms, longestRetry)
			}
		}
	}
	if text := bytes.Join(data, []byte("\n")); len(bytes.TrimSpace(text)) > 0 {
		take(text)
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
