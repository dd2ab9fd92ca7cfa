package frames

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
)

// big is what all frames are made of.
var big = make([]byte, 2*maxCachedBytes)

// source has frames of one size; those from gone on cannot be read.
type source struct {
	size, reads int
	gone        uint64
}

func (s *source) Frame(_ string, n uint64) (wire.Frame, error) {
	if s.reads++; s.gone != 0 && n >= s.gone {
		return wire.Frame{}, errors.New("the file\x1b[2J has gone")
	}
	return wire.Frame{Data: big[:s.size]}, nil
}

// load asks for frames and takes in what comes.
func load(c *Cache, s *source, ns ...uint64) bool {
	cmd := c.Load(s, "r", ns, nil)
	if cmd == nil {
		return false
	}
	c.Take(cmd().(Msg))
	return true
}

func to(n uint64) (ns []uint64) {
	for i := range n {
		ns = append(ns, i+1)
	}
	return ns
}

// TestBounds: neither many frames nor big ones fill the memory; the oldest go, and what the
// detail pane shows stays, however big it is.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		size  int
		loads uint64
		shown []uint64
		held  int      // frames at hand in the end
		has   []uint64 // some of them
		left  []uint64 // and some that went
	}{
		{10, maxCached + 5, nil, maxCached, []uint64{6, maxCached + 5}, []uint64{1, 5}},
		{maxCachedBytes / 4, 6, nil, 4, []uint64{3, 6}, []uint64{1, 2}},
		{maxCachedBytes / 4, 6, []uint64{1}, 4, []uint64{1, 4, 6}, []uint64{2, 3}},
		{maxCachedBytes, 3, []uint64{1, 2}, 3, []uint64{1, 2, 3}, nil},
		{2 * maxCachedBytes, 2, nil, 1, []uint64{2}, []uint64{1}},
	} {
		cache, s := New(), &source{size: c.size}
		cache.Show("r", c.shown)
		for n := range c.loads {
			load(&cache, s, n+1)
		}
		got, _ := cache.Have("r", to(c.loads))
		if len(got) != c.held || len(cache.order) != c.held || cache.bytes != c.held*c.size {
			t.Errorf("%d bytes each: %d held, %d in order, %d bytes", c.size, len(got), len(cache.order), cache.bytes)
		}
		for _, n := range c.has {
			if _, ok := got[n]; !ok {
				t.Errorf("%d bytes each: no #%d", c.size, n)
			}
		}
		for _, n := range c.left {
			if _, ok := got[n]; ok {
				t.Errorf("%d bytes each: #%d stays", c.size, n)
			}
		}
	}
}

// TestLoad: a frame is read once, also while it is on its way, and one that cannot be read
// is not asked for without end.
func TestLoad(t *testing.T) {
	c, s := New(), &source{size: 3, gone: 3}
	first := c.Load(s, "r", []uint64{1, 2}, nil)
	if c.Load(s, "r", []uint64{2}, nil) != nil {
		t.Error("#2 is on its way, and asked for again")
	}
	if _, all := c.Have("r", []uint64{1, 2}); all {
		t.Error("all is there before it came")
	}
	asked := false
	then := c.Load(s, "r", []uint64{2}, func() tea.Cmd { asked = true; return nil })
	if then == nil {
		t.Fatal("what waits for a frame is forgotten")
	}
	c.Take(first().(Msg))
	msg := then().(Msg)
	c.Take(msg)
	if msg.Then(); !asked || c.bytes != 6 {
		t.Errorf("asked: %v, %d bytes", asked, c.bytes)
	}
	if !load(&c, s, 2, 3) || load(&c, s, 2, 3) {
		t.Error("#3 is read never, or again and again")
	}
	if got, all := c.Have("r", []uint64{2, 3}); len(got) != 1 || !all {
		t.Errorf("%d, waiting for more: %v", len(got), !all)
	}
	if c.Failure("r", []uint64{1, 2}) != "" || c.Failure("r", []uint64{2, 3}) == "" || c.Failure("other", []uint64{3}) != "" {
		t.Error("another frame failed")
	}
	if s.reads != 4 {
		t.Errorf("%d reads", s.reads)
	}
}
