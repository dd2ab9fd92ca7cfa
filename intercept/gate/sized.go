package gate

import (
	"bytes"

	"midwire/session/wire"
)

// notSized is how an event stream of known length comes once something in it changes.
const notSized = "in chunks of the gate's, without the length that it announced"

// isSized reports whether an event stream of known length is in hand. Its head waits
// with the events, for it has to be another one when they are; else all of it passes
// as it came.
func (r *responses) isSized() bool { return r.mode == whole && r.events != nil }

// chunk begins to pass on a stream of known length in our own chunks.
func (r *responses) chunk() {
	u := &unit{lane: r.lane, on: Head, raw: r.head, head: r.head, talk: r.lane.conn.exchange().talk}
	u.headNow = wire.SetField(dropField(r.head, "Content-Length"), "Transfer-Encoding", "chunked")
	r.lane.conn.tell(r.lane.dir, wire.Gate{What: wire.GatePace, How: notSized, Head: string(u.headNow)})
	r.lane.pass(u.bytes(), false, false)
	r.mode, r.body = stream, nil
}

// canBeChunked reports whether the peer understands chunks.
func canBeChunked(head []byte) bool { return bytes.HasPrefix(head, []byte("HTTP/1.1")) }
