package export

import (
	"midwire/session"
	"midwire/session/describe"
	"midwire/session/wire"
)

// Load returns a frame with its payload, or nil when it cannot be had. The
// frame is not changed afterwards.
type Load func(n uint64) *wire.Frame

// words is describe.Row with the frames of the row.
func (load Load) words(t *session.Tracker, r *session.Row) (target, result string) {
	var response *wire.Frame
	if r.Response != 0 {
		response = load(uint64(r.Response))
	}
	return describe.Row(t, r, load(uint64(r.Request)), response)
}

const (
	keptBytes = 64 << 20 // payloads at hand, but for the one that was loaded last
	hugeFrame = 1 << 20  // a payload from here on is not loaded without end
	maxLoads  = 16       // of a huge frame
)

// recent is a Load that has the last two frames at hand: every message of a
// batch asks for the same two, the request's and the response's. Where they are
// too large for that, a batch of thousands would be read thousands of times: a
// huge frame is loaded a few times, and cannot be had after that.
func (load Load) recent() Load {
	var kept [2]*wire.Frame // the one that was used last comes first
	loads := map[uint64]int{}
	return func(n uint64) *wire.Frame {
		for i, f := range kept {
			if f != nil && f.N == n {
				kept[0], kept[i] = f, kept[0]
				return f
			}
		}
		if loads[n] == maxLoads {
			return nil
		}
		f := load(n)
		if f == nil {
			return nil
		}
		if len(f.Data) >= hugeFrame {
			loads[n]++
		}
		kept[0], kept[1] = f, kept[0]
		if old := kept[1]; old != nil && len(f.Data)+len(old.Data) > keptBytes {
			kept[1] = nil
		}
		return f
	}
}
