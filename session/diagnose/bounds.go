package diagnose

import (
	"bytes"
	"maps"
	"slices"

	"midwire/session"
	"midwire/session/wire"
)

// The bounds of what a Checker remembers of a recording, however wide that is.
const (
	// MaxParams bounds what is kept of the parameters of a call, in bytes.
	MaxParams = 1 << 20

	maxCalls       = 1 << 14  // that wait for their responses
	maxKept        = 64 << 20 // bytes of their parameters, and of one call of each session
	leastKept      = 4 << 10  // bytes of one call
	maxCaps        = 16 << 10 // bytes of capabilities
	maxTools       = 4096     // of a session
	maxDefinitions = 64 << 20 // bytes, of all sessions
	maxAsked       = 1 << 13  // requests of a session that are looked at in the end
	maxMethods     = 64
	maxAttempts    = 1 << 16
)

// sessions are those that are diagnosed.
func (c *Checker) sessions() []*session.Session {
	all := c.tracker.Sessions()
	if n := len(all); n > 0 && all[n-1].More {
		return all[:n-1]
	}
	return all
}

// most is how much is kept of the parameters of a call: there is room for one of each session.
func (c *Checker) most() int {
	return min(max(leastKept, maxKept/max(1, len(c.facts))), MaxParams)
}

// remember keeps a call until its response, and forgets the older half of too many.
func (c *Checker) remember(call *Call) {
	c.pending[call.Row] = call
	if c.kept += len(call.Params); len(c.pending) > maxCalls || c.kept > maxKept {
		rows := slices.Sorted(maps.Keys(c.pending))
		for _, row := range rows[:len(rows)/2] {
			c.forget(row)
		}
	}
}

func (c *Checker) forget(row int32) {
	if call := c.pending[row]; call != nil {
		c.kept -= len(call.Params)
		delete(c.pending, row)
	}
}

// refuses notes that the refusal of an exchange was reported.
func (c *Checker) refuses(x uint32) {
	if len(c.refused) < maxCalls {
		c.refused[x] = true
	}
}

// definitions are those of tools. Equal ones are kept once.
type definitions struct {
	byHash map[uint64][]byte
	bytes  int
}

// definition is a copy of the definition of a tool, nil where there is no more room.
func (c *Checker) definition(raw []byte) []byte {
	d, k := &c.defined, wire.Hash(raw)
	if known := d.byHash[k]; bytes.Equal(known, raw) {
		return known
	}
	if d.bytes += len(raw); d.bytes > maxDefinitions {
		return nil
	}
	if d.byHash == nil {
		d.byHash = map[uint64][]byte{}
	}
	d.byHash[k] = bytes.Clone(raw)
	return d.byHash[k]
}
