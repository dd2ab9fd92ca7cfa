package library

import (
	"slices"

	"midwire/session/wire"
)

// MaxCachedBytes is how many bytes of frames are kept that are not on the screen.
const MaxCachedBytes = 48 << 20

const maxCached = 400

type frameKey struct {
	rec string
	n   uint64
}

// FrameCache keeps the frames looked at last, oldest out first.
type FrameCache struct {
	byKey  map[frameKey]wire.Frame
	failed map[frameKey]string
	order  []frameKey
	bytes  int
	asked  map[frameKey]bool
	shown  map[frameKey]bool // they stay, however big they are
}

// NewFrameCache is a cache without frames.
func NewFrameCache() FrameCache {
	return FrameCache{byKey: map[frameKey]wire.Frame{}, failed: map[frameKey]string{}, asked: map[frameKey]bool{}}
}

// Frame is a frame that is at hand.
func (c *FrameCache) Frame(rec string, n uint64) (wire.Frame, bool) {
	f, ok := c.byKey[frameKey{rec, n}]
	return f, ok
}

// Failure says why a frame cannot be had, "" for no reason.
func (c *FrameCache) Failure(rec string, n uint64) string { return c.failed[frameKey{rec, n}] }

// Ask says whether a frame is to be fetched, and notes that it is: it is neither at
// hand nor lost. One that is on its way is fetched only again.
func (c *FrameCache) Ask(rec string, n uint64, again bool) bool {
	k := frameKey{rec, n}
	if _, ok := c.byKey[k]; ok || c.failed[k] != "" || c.asked[k] && !again {
		return false
	}
	c.asked[k] = true
	return true
}

// Take takes in what came of frames that were asked for.
func (c *FrameCache) Take(rec string, asked []uint64, frames []wire.Frame, failed map[uint64]string) {
	for _, n := range asked {
		delete(c.asked, frameKey{rec, n})
	}
	for _, f := range frames {
		c.put(frameKey{rec, f.N}, f)
	}
	for n, why := range failed {
		c.failed[frameKey{rec, n}] = why
	}
}

func (c *FrameCache) put(k frameKey, f wire.Frame) {
	if _, ok := c.byKey[k]; ok {
		return
	}
	c.byKey[k] = f
	c.order = append(c.order, k)
	c.bytes += len(f.Data)
	for i := 0; i < len(c.order)-1 && (len(c.order) > maxCached || c.bytes > MaxCachedBytes); {
		old := c.order[i]
		if c.shown[old] {
			i++
			continue
		}
		c.bytes -= len(c.byKey[old].Data)
		delete(c.byKey, old)
		c.order = slices.Delete(c.order, i, i+1)
	}
}

// Show says which frames are on the screen.
func (c *FrameCache) Show(rec string, ns []uint64) {
	c.shown = map[frameKey]bool{}
	for _, n := range ns {
		c.shown[frameKey{rec, n}] = true
	}
}
