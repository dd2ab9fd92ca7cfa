// Package peer is one end of a conversation with a server that midwire holds itself,
// message by message: through a proxy, so that it is a recording.
package peer

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"midwire/session/wire"
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

// take keeps a payload that is a response, or of a batch the last that is one.
func (r *Response) take(payload []byte) {
	wire.ScanMessages(bytes.Clone(payload), func(_ int, m wire.Message) bool {
		if m.IsResponse() {
			r.Message, r.Came = m, true
		}
		return true
	})
}

// await waits for the response to a payload, if that is a request, among messages that come
// one by one, and has those answered that the server asks in between. It is false when no
// more come.
func await(
	ctx context.Context, payload []byte, lines <-chan []byte, asked Asked, answer func([]byte),
) (out Response, more bool) {
	var own string
	request := false
	wire.ScanMessages(payload, func(_ int, m wire.Message) bool {
		if m.Kind == wire.MsgRequest {
			own, request = strings.Trim(string(m.ID), `"`), true
		}
		return true
	})
	for request {
		select {
		case <-ctx.Done():
			return out, true
		case line, more := <-lines:
			if !more {
				return out, false
			}
			line = bytes.TrimSpace(line)
			id := ""
			if out.take(line); out.Came {
				id = strings.Trim(string(out.Message.ID), `"`)
			}
			if out.Came && (id == own || out.Message.Kind == wire.MsgError && (id == "" || id == "null")) {
				return out, true
			}
			out = Response{}
			if reply := asked.answer(line); reply != nil {
				answer(reply)
			}
		}
	}
	return out, true
}

// settle is how long a server may take to end behind its client.
const settle = 5 * time.Second

// maxReply bounds what is read of one response.
const maxReply = 16 << 20

// maxText is how much is kept of a body that is no message.
const maxText = 2048
