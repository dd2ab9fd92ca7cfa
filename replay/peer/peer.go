// Package peer is one end of a conversation with a server that midwire holds itself,
// message by message: through a proxy, so that it is a recording.
package peer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"midwire/session/wire"
	"midwire/session/words"
)

// Peer is a connection to a server, through a proxy. One goroutine at a time may use it.
type Peer interface {
	// Send sends a message and returns the response to it, if it has an id. Nothing
	// came when the response has no message and no status. That the time of ctx is over
	// is no error. header is for HTTP; it belongs to Send from now on.
	Send(ctx context.Context, payload []byte, header http.Header) (Response, error)
	// Leave ends a session over HTTP as clients do (DELETE); it does not say whether that
	// was taken. header is for it.
	Leave(ctx context.Context, header http.Header)
	// Exited says whether the server has ended, as far as that can be known.
	Exited() bool
	// Close leaves the server and returns the file of the recording.
	Close() (recording string, err error)
}

// Response is what came of a message.
type Response struct {
	Status  int // 0 on stdio
	Header  http.Header
	Message wire.Message
	Came    bool   // there is a message, or a status that refuses
	Text    string // of a body that is no message, or how it begins
}

// Said is what came over HTTP in the place of a JSON-RPC response, in a few words.
func (r *Response) Said() string {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch text := strings.TrimSpace(r.Text); {
	case strings.HasPrefix(text, "<"):
		return fmt.Sprintf("HTTP %d with a page, and no JSON-RPC response", r.Status)
	case r.Status >= 400:
		return words.Join(fmt.Sprintf("HTTP %d", r.Status), words.Line(text, 100))
	case text == "":
		return words.Join(fmt.Sprintf("HTTP %d", r.Status), words.Line(media, 40)) + ", and no response"
	default:
		return fmt.Sprintf("HTTP %d, and no JSON-RPC response with its id: %s", r.Status, words.Line(text, 100))
	}
}

// Asked answers a request of the server: with the bytes of a response, or nil for none.
type Asked func(request *wire.Message) []byte

// answer is the answer to a payload that is a request, nil for none.
func (a Asked) answer(payload []byte) []byte {
	m, ok := wire.ScanMessage(payload)
	if !ok || m.Kind != wire.MsgRequest || a == nil {
		return nil
	}
	return a(&m)
}

// take keeps a payload that is the response to a request with an id, or an error that names no
// id; of a batch the last that is one.
func (r *Response) take(payload []byte, own string) {
	wire.ScanMessages(bytes.Clone(payload), func(_ int, m wire.Message) bool {
		id := idOf(&m)
		if m.IsResponse() && (id == own || m.Kind == wire.MsgError && (id == "" || id == "null")) {
			r.Message, r.Came = m, true
		}
		return true
	})
}

// idOf is what the id of a message says: 7 and "7" alike, of which other checks tell.
func idOf(m *wire.Message) string {
	if len(m.ID) > 0 && m.ID[0] == '"' {
		return wire.Text(m.ID)
	}
	return string(m.ID)
}

// requested is the id of the request that a payload is, or of the last of a batch.
func requested(payload []byte) (own string, is bool) {
	wire.ScanMessages(payload, func(_ int, m wire.Message) bool {
		if m.Kind == wire.MsgRequest {
			own, is = idOf(&m), true
		}
		return true
	})
	return own, is
}

// await waits for the response to a payload, if that is a request, among messages that come
// one by one, and has those answered that the server asks in between. It is false when no
// more come.
func await(
	ctx context.Context, payload []byte, lines <-chan []byte, asked Asked, answer func([]byte),
) (out Response, more bool) {
	own, request := requested(payload)
	for request {
		select {
		case <-ctx.Done():
			return out, true
		case line, more := <-lines:
			if !more {
				return out, false
			}
			line = bytes.TrimSpace(line)
			if out.take(line, own); out.Came {
				return out, true
			}
			if reply := asked.answer(line); reply != nil {
				answer(reply)
			}
		}
	}
	return out, true
}

// settle is how long a server may take to end behind its client.
const settle = 5 * time.Second

// mostOutput bounds what a server may send during all of a command: it is recorded.
const mostOutput = 256 << 20

// perLine is what a recording has of a line beside its bytes, about.
const perLine = 128

// ErrFlood says that a server sent more than that.
var ErrFlood = fmt.Errorf("the server sent more than %d MiB, and is not asked any more", mostOutput>>20)

// intake is what a server may still send. Any goroutine may use it; nil is without a bound.
type intake struct{ left atomic.Int64 }

func (in *intake) exceeded() bool { return in != nil && in.left.Load() < 0 }

// reader counts what is read.
func (in *intake) reader(r io.Reader) io.Reader { return &counted{r, in} }

type counted struct {
	io.Reader
	in *intake
}

func (c *counted) Read(p []byte) (int, error) {
	if c.in.exceeded() {
		return 0, ErrFlood
	}
	n, err := c.Reader.Read(p)
	if c.in != nil {
		c.in.left.Add(-int64(n + perLine*bytes.Count(p[:n], []byte{'\n'})))
	}
	return n, err
}

// maxReply bounds what is read of one response.
const maxReply = 16 << 20

// maxText is how much is kept of a body that is no message.
const maxText = 2048
