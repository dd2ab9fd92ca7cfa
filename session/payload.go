package session

import "midwire/session/wire"

// Payload returns the bytes that should be a JSON-RPC message or batch: the
// line, the body or the data of the event, decompressed if the body was
// compressed. Nil when f is nil or holds but a part of a compressed stream.
func (t *Tracker) Payload(f *wire.Frame) []byte {
	if f == nil {
		return nil
	}
	return t.Decoder(uint32(f.N))(f)
}

// Decoder returns what Payload is for frame n, to be called by any goroutine.
func (t *Tracker) Decoder(n uint32) func(*wire.Frame) []byte {
	c, ok := t.codings[n]
	if !ok {
		return (*wire.Frame).Payload
	}
	return func(f *wire.Frame) []byte {
		if f.Part == wire.More {
			return nil
		}
		out, _ := c.Decode(f.Data)
		return out
	}
}
