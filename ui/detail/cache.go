package detail

import (
	"slices"

	"midwire/session/wire"
)

// MaxCachedBytes is how much of frames that are not shown is kept.
const MaxCachedBytes = 48 << 20

const maxCached = 400

// FrameKey is a frame of a recording.
type FrameKey struct {
	Rec string
	N   uint64
}

// Cache keeps the frames looked at last, oldest out first.
type Cache struct {
	Frames map[FrameKey]wire.Frame
	Failed map[FrameKey]string // why a frame cannot be read
	Asked  map[FrameKey]bool   // on their way
	order  []FrameKey
	bytes  int
	shown  map[FrameKey]bool // by the detail pane: they stay, however big they are
}

// NewCache is an empty one.
func NewCache() Cache {
	return Cache{Frames: map[FrameKey]wire.Frame{}, Failed: map[FrameKey]string{}, Asked: map[FrameKey]bool{}}
}

// Put keeps a frame.
func (c *Cache) Put(k FrameKey, f wire.Frame) {
	if _, ok := c.Frames[k]; ok {
		return
	}
	c.Frames[k] = f
	c.order = append(c.order, k)
	c.bytes += len(f.Data)
	for i := 0; i < len(c.order)-1 && (len(c.order) > maxCached || c.bytes > MaxCachedBytes); {
		old := c.order[i]
		if c.shown[old] {
			i++
			continue
		}
		c.bytes -= len(c.Frames[old].Data)
		delete(c.Frames, old)
		c.order = slices.Delete(c.order, i, i+1)
	}
}

// Show says which frames the detail pane is about.
func (c *Cache) Show(rec string, ns []uint64) {
	c.shown = map[FrameKey]bool{}
	for _, n := range ns {
		c.shown[FrameKey{rec, n}] = true
	}
}

// Have collects the frames at hand and says whether none is missing that could
// still come.
func (c *Cache) Have(rec string, ns []uint64) (got Frames, complete bool) {
	got, complete = Frames{}, true
	for _, n := range ns {
		k := FrameKey{rec, n}
		if f, ok := c.Frames[k]; ok {
			got[n] = f
		} else if c.Failed[k] == "" {
			complete = false
		}
	}
	return got, complete
}

// Failure is why one of the frames cannot be had, or "".
func (c *Cache) Failure(rec string, ns []uint64) string {
	for _, n := range ns {
		if why := c.Failed[FrameKey{rec, n}]; why != "" {
			return why
		}
	}
	return ""
}
