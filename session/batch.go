package session

import "midwire/session/wire"

// A batch is processed message by message, and there may be tens of thousands:
// where they stand is remembered of the last one in each direction.
type batch struct {
	frame   uint64
	length  int        // of the frame's data: a frame may come in part first
	payload []byte     // what was compressed; nil when the frame has it as it is
	at      [][2]int32 // where each message begins and ends
}

// Message returns the message of a frame at a position of its batch; false when
// there is none.
func (t *Tracker) Message(f *wire.Frame, position uint16) (wire.Message, bool) {
	if f == nil || !f.HoldsMessages() {
		return wire.Message{}, false
	}
	b := &t.batches[0]
	if f.Dir == wire.ToClient {
		b = &t.batches[1]
	}
	if f.N == 0 || b.frame != f.N || b.length != len(f.Data) {
		payload := t.Payload(f)
		if !wire.IsArray(payload) {
			m, ok := wire.ScanMessage(payload)
			return m, ok && position == 0 && m.Kind != wire.MsgInvalid
		}
		*b = indexBatch(f, payload)
		if _, coded := t.codings[uint32(f.N)]; coded {
			b.payload = payload
		}
	}
	if int(position) >= len(b.at) {
		return wire.Message{}, false
	}
	payload := b.payload
	if payload == nil {
		payload = t.Payload(f)
	}
	at := b.at[position]
	m, ok := wire.ScanMessage(payload[at[0]:at[1]])
	return m, ok && m.Kind != wire.MsgInvalid
}

// indexBatch finds the messages of a batch; none when it is no valid JSON.
func indexBatch(f *wire.Frame, payload []byte) batch {
	b := batch{frame: f.N, length: len(f.Data)}
	valid := wire.Items(payload, func(i int, value []byte) bool {
		from := int32(cap(payload) - cap(value)) // they share their memory
		b.at = append(b.at, [2]int32{from, from + int32(len(value))})
		return i < 1<<16 // which is as many as a row can name
	})
	if !valid {
		b.at = nil
	}
	return b
}
