package replay

import (
	"bytes"
	"fmt"
	"sync"

	"midwire/session/wire"
)

const (
	keptBatches = 64 << 20 // bytes of batches at hand, but for the one that was read last
	maxReads    = 16       // of one that is too large to be kept
)

// batches are those that were read last. Their messages are asked for one by
// one, and there may be thousands, of two batches in turn: requests and their
// responses.
type batches struct {
	mu    sync.Mutex // clients of a mock ask at the same time
	kept  [2]batch   // the one that was used last comes first
	reads map[uint32]int
}

type batch struct {
	frame uint32 // 0 for none
	size  int
	items [][]byte
}

// Element returns the raw message at a position of a frame, which may be a
// batch; nil when there is none. It is not to be written to.
func (s *Script) Element(frame uint32, i uint16) ([]byte, error) {
	s.batches.mu.Lock()
	defer s.batches.mu.Unlock()
	kept := &s.batches.kept
	if kept[1].frame == frame {
		kept[0], kept[1] = kept[1], kept[0]
	}
	if kept[0].frame != frame {
		if s.batches.reads[frame] == maxReads {
			return nil, fmt.Errorf("frame %d of %s is a batch too large to be read message by message", frame, s.Path)
		}
		payload, err := s.Payload(frame)
		if err != nil || !wire.IsArray(payload) {
			return payload, err
		}
		s.keep(frame, payload)
	}
	if int(i) >= len(kept[0].items) {
		return nil, nil
	}
	return kept[0].items[i], nil
}

// keep puts a batch first.
func (s *Script) keep(frame uint32, payload []byte) {
	b := batch{frame: frame}
	wire.Items(payload, func(_ int, v []byte) bool {
		b.items, b.size = append(b.items, bytes.Clone(v)), b.size+len(v) // the rest of the payload is freed
		return len(b.items) <= wire.MaxBatch
	})
	kept := &s.batches.kept
	if kept[0], kept[1] = b, kept[0]; kept[1].size+b.size <= keptBatches {
		return
	}
	kept[1] = batch{}
	if s.batches.reads == nil {
		s.batches.reads = map[uint32]int{}
	}
	s.batches.reads[frame]++
}
