package session

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"midwire/session/wire"
)

// The bounds of what a Tracker remembers, however wide what it sees is. What lies beyond them
// is forgotten, the oldest first, or left without a name.
const (
	maxSessions  = 6_000     // the further ones are one, which is not watched
	maxExchanges = 1 << 14   // that have not ended
	maxIDs       = 1 << 17   // texts by which a session finds its calls
	maxHeld      = 128 << 20 // bytes of their heads and bodies
	maxConns     = 1 << 16   // connections
	maxFound     = 1 << 16   // keys of one kind by which sessions are found
	maxNames     = 48 << 20  // bytes
	maxGated     = 1 << 15   // rows and frames that a gate touched
	maxSessionID = 2 << 10   // bytes
)

// oldest returns the keys of the older half of a map, by their age.
func oldest[K comparable, V any, A cmp.Ordered](m map[K]V, age func(K, V) A) []K {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b K) int { return cmp.Compare(age(a, m[a]), age(b, m[b])) })
	return keys[:len(keys)/2]
}

// found keeps by what a session is found.
func found[K comparable](in map[K]int32, key K, g *group) {
	if _, known := in[key]; known || len(in) < maxFound {
		in[key] = int32(g.Index)
	}
}

// shortID is the id of a session as it is kept: a long one is cut, and differs where the whole
// does.
func shortID(id string) string {
	if len(id) <= maxSessionID {
		return id
	}
	return id[:maxSessionID-20] + "…" + strconv.FormatUint(wire.Hash([]byte(id)), 16)
}

func shortIDBytes(id []byte) []byte {
	if len(id) <= maxSessionID {
		return id
	}
	return []byte(shortID(string(id)))
}

// weigh counts what an exchange holds, and forgets the older half where all hold too much.
func (t *Tracker) weigh(ex *exchange) {
	n := cap(ex.facts.RequestHead) + cap(ex.facts.ResponseHead) + cap(ex.in.data) + cap(ex.out.data) + len(ex.query)
	t.held, ex.held = t.held+n-ex.held, n
	if t.held > maxHeld && len(t.open) > 1 {
		t.forgetOlder()
	}
}

func (t *Tracker) forgetOlder() {
	for _, x := range oldest(t.open, func(x uint32, _ *exchange) uint32 { return x }) {
		t.forget(t.open[x])
	}
}

// forgetConns forgets the older half of the connections, as far as they have no open exchange.
func (t *Tracker) forgetConns() {
	for _, id := range oldest(t.conns, func(id uint32, _ *conn) uint32 { return id }) {
		if len(t.conns[id].open) == 0 {
			delete(t.conns, id)
		}
	}
}
