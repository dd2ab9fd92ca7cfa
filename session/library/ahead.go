package library

import (
	"errors"
	"io"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/record"
	"midwire/session/wire"
)

// batch is frames with their payloads in one piece of memory.
type batch struct {
	frames []wire.Frame
	read   []*session.Ahead // of each frame; kept for the next frames
	data   []byte
	lent   bool  // the last payload is the reader's, too large to be copied
	err    error // why there are no more; io.EOF at the end
}

const (
	batchFrames = 256
	batchBytes  = 256 << 10
)

// readAhead calls use with every frame of a recording, while another goroutine
// reads the next ones and calls look with them. The frame and its payload are valid
// during the call of use only, what look reads of them until then.
func readAhead(r *record.Reader, look, use func(*wire.Frame, *session.Ahead)) error {
	full, empty := make(chan *batch, 2), make(chan *batch, 3)
	returned := make(chan struct{})
	for range 3 {
		empty <- &batch{}
	}
	go func() {
		defer close(full)
		for b := range empty {
			b.fill(r, look)
			full <- b
			if b.err != nil {
				return
			}
			if b.lent {
				<-returned
			}
		}
	}()
	for b := range full {
		for i := range b.frames {
			use(&b.frames[i], b.read[i])
		}
		if errors.Is(b.err, io.EOF) {
			return nil
		}
		if b.err != nil {
			return b.err
		}
		if b.lent {
			returned <- struct{}{}
		}
		empty <- b
	}
	return nil
}

// fill reads the next frames.
func (b *batch) fill(r *record.Reader, look func(*wire.Frame, *session.Ahead)) {
	defer defect.Fails(reading, &b.err)
	b.frames, b.data, b.lent = b.frames[:0], b.data[:0], false
	var f wire.Frame
	for !b.lent && len(b.frames) < batchFrames && len(b.data) < batchBytes {
		if b.err = r.Next(&f); b.err != nil {
			return
		}
		if b.lent = len(f.Data) > 4*batchBytes; !b.lent {
			at := len(b.data)
			b.data = append(b.data, f.Data...)
			// Memory that has grown since holds the earlier payloads still.
			f.Data = b.data[at:len(b.data):len(b.data)]
		}
		if len(b.read) == len(b.frames) { // each has kilobytes, and most recordings are short
			b.read = append(b.read, &session.Ahead{})
		}
		look(&f, b.read[len(b.frames)])
		b.frames = append(b.frames, f)
	}
}

func readNothing(*wire.Frame, *session.Ahead) {}
