package session

import "midwire/session/wire"

// Payload returns the bytes that should be a JSON-RPC message or batch: the
// line, the body or the data of the event, decompressed if the body was
// compressed. Of a piece of a compressed stream it is the messages that this piece made
// whole. Nil when f is nil or there are none.
func (t *Tracker) Payload(f *wire.Frame) []byte {
	if f == nil {
		return nil
	}
	return t.Decoder(uint32(f.N))(f)
}

// Piece returns the messages that a piece of a compressed stream made whole, as a batch where
// they are several; nil of any other frame.
func (t *Tracker) Piece(n uint32) []byte { return t.pieces[n] }

// Decoder returns what Payload is for frame n, to be called by any goroutine.
func (t *Tracker) Decoder(n uint32) func(*wire.Frame) []byte {
	if piece := t.Piece(n); piece != nil {
		return func(*wire.Frame) []byte { return piece }
	}
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
