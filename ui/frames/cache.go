// Package frames keeps the frames that the screen looked at last.
package frames

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
)

const (
	maxCached      = 400
	maxCachedBytes = 48 << 20
)

// Source reads frames. It is called from commands.
type Source interface {
	Frame(rec string, n uint64) (wire.Frame, error)
}

type key struct {
	rec string
	n   uint64
}

// Cache keeps frames, oldest out first.
type Cache struct {
	byKey  map[key]wire.Frame
	failed map[key]string
	order  []key
	bytes  int
	asked  map[key]bool
	shown  map[key]bool // by the detail pane: they stay, however big they are
}

// New makes an empty cache.
func New() Cache {
	return Cache{byKey: map[key]wire.Frame{}, failed: map[key]string{}, asked: map[key]bool{}}
}

func (c *Cache) put(k key, f wire.Frame) {
	if _, ok := c.byKey[k]; ok {
		return
	}
	c.byKey[k] = f
	c.order = append(c.order, k)
	c.bytes += len(f.Data)
	for i := 0; i < len(c.order)-1 && (len(c.order) > maxCached || c.bytes > maxCachedBytes); {
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

// Show says which frames the detail pane is about.
func (c *Cache) Show(rec string, ns []uint64) {
	c.shown = map[key]bool{}
	for _, n := range ns {
		c.shown[key{rec, n}] = true
	}
}

// Msg brings frames that were asked for.
type Msg struct {
	Then func() tea.Cmd // what they were asked for, nil for showing them

	rec    string
	frames []wire.Frame
	failed map[uint64]string
	asked  []uint64
}

// Load fetches those of the frames that are not at hand. It returns nil when
// all are, or are on their way.
func (c *Cache) Load(src Source, rec string, ns []uint64, then func() tea.Cmd) tea.Cmd {
	var need []uint64
	for _, n := range ns {
		k := key{rec, n}
		if _, ok := c.byKey[k]; ok || c.failed[k] != "" || c.asked[k] && then == nil {
			continue
		}
		c.asked[k] = true
		need = append(need, n)
	}
	if len(need) == 0 {
		return nil
	}
	return func() tea.Msg {
		msg := Msg{rec: rec, asked: need, Then: then, failed: map[uint64]string{}}
		for _, n := range need {
			f, err := src.Frame(rec, n)
			if err != nil {
				msg.failed[n] = err.Error()
				continue
			}
			f.N = n
			msg.frames = append(msg.frames, f)
		}
		return msg
	}
}

// Take takes in what was fetched.
func (c *Cache) Take(msg Msg) {
	for _, n := range msg.asked {
		delete(c.asked, key{msg.rec, n})
	}
	for _, f := range msg.frames {
		c.put(key{msg.rec, f.N}, f)
	}
	for n, why := range msg.failed {
		c.failed[key{msg.rec, n}] = why
	}
}

// Have collects the frames at hand and says whether none is missing that could
// still come.
func (c *Cache) Have(rec string, ns []uint64) (got map[uint64]wire.Frame, complete bool) {
	got, complete = map[uint64]wire.Frame{}, true
	for _, n := range ns {
		k := key{rec, n}
		if f, ok := c.byKey[k]; ok {
			got[n] = f
		} else if c.failed[k] == "" {
			complete = false
		}
	}
	return got, complete
}

// Failure is why one of the frames cannot be had, or "".
func (c *Cache) Failure(rec string, ns []uint64) string {
	for _, n := range ns {
		if why := c.failed[key{rec, n}]; why != "" {
			return why
		}
	}
	return ""
}
