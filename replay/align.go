package replay

import (
	"strconv"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// pairUp finds for each of n things the first of m others that has the same key
// and is not taken yet, on the first level first; -1 for none. It asks for each
// key once a level.
func pairUp[K comparable](levels, n, m int, key, other func(level, i int) K) []int {
	pairs, taken := make([]int, n), make([]bool, m)
	for i := range pairs {
		pairs[i] = -1
	}
	for level := range levels {
		waiting := map[K][]int{}
		for j := range m {
			if !taken[j] {
				k := other(level, j)
				waiting[k] = append(waiting[k], j)
			}
		}
		for i := range pairs {
			if pairs[i] >= 0 || len(waiting) == 0 {
				continue
			}
			k := key(level, i)
			if q := waiting[k]; len(q) > 0 {
				pairs[i], taken[q[0]], waiting[k] = q[0], true, q[1:]
			}
		}
	}
	return pairs
}

// align finds for each call of x the one of y that is meant to be the same, -1
// for none: of those not taken yet the first that asks exactly the same, else
// the first that asks the same but for handles, else the first about the same
// thing.
func align(a, b *Script, x, y []int32) []int32 {
	pairs := make([]int32, len(x))
	found := pairUp(Likenesses, len(x), len(y),
		func(level, i int) uint64 { return a.key(x[i], Likeness(level)) },
		func(level, j int) uint64 { return b.key(y[j], Likeness(level)) })
	for i, j := range found {
		if pairs[i] = -1; j >= 0 {
			pairs[i] = y[j]
		}
	}
	return pairs
}

// Likeness says how much alike two requests are.
type Likeness int

// The likenesses, the closest first.
const (
	AlikeExactly Likeness = iota // but for _meta
	AlikeMasked                  // but for values that look like handles
	AlikeTarget                  // the same method about the same tool
	Likenesses   int      = iota // how many there are
)

func (s *Script) key(call int32, level Likeness) uint64 {
	m, err := s.Request(call)
	if err != nil {
		return 0
	}
	return Key(&m, level)
}

// Key is equal for requests that are that much alike.
func Key(m *wire.Message, level Likeness) uint64 {
	method := string(m.Method)
	return hash(method + "\x00" + requestKey(method, m.Params, level))
}

// requestKey is the part of a key that the parameters make.
func requestKey(method string, params []byte, level Likeness) string {
	if level == AlikeTarget || method == mcp.Initialize || method == mcp.Discover {
		return TargetOf(method, params)
	}
	if len(params) > maxDecoded {
		if level == AlikeMasked {
			return TargetOf(method, params)
		}
		return strconv.FormatUint(wire.Hash(params), 16)
	}
	v := eachScalar(decode(params), meaning)
	if o, ok := v.(map[string]any); ok {
		delete(o, "_meta")
		if arguments, ok := o["arguments"].(map[string]any); ok && len(arguments) == 0 {
			delete(o, "arguments")
		}
		if len(o) == 0 {
			return ""
		}
	}
	if params == nil {
		return ""
	}
	if level == AlikeMasked {
		v = eachScalar(v, masked)
	}
	return show(v) // members come out sorted
}

func masked(v any) any {
	if text, ok := v.(string); ok {
		return mask(nil, text)
	}
	return v
}
