package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

// round is a response that asked for input and was not come back to yet.
type round struct {
	n, askedN uint64 // frames of the response, and of the request
	id        string // of the request
	method    string
	target    string
	args      []byte
	keys      [][]byte // of inputRequests
	conn      uint32   // 0 on stdio
	state     string   // decoded
	hasState  bool
}

// rounds are the latest of a session.
type rounds struct {
	open []round
	lost bool // there were more than are kept
}

const (
	maxRounds    = 64
	maxRoundArgs = 64 << 10
)

// note remembers a response that asks for input.
func (r *rounds) note(c *diagnose.Case) {
	if len(r.open) >= maxRounds {
		r.open, r.lost = append(r.open[:0], r.open[1:]...), true
	}
	n := round{n: c.N, askedN: c.Call.N, id: c.Call.ID, method: c.Call.Method, target: c.Call.Target, conn: c.Call.Conn}
	if args := wire.Get(c.Call.Params, "arguments"); len(args) <= maxRoundArgs {
		n.args = args
	}
	wire.Each(c.Result("inputRequests"), func(key, _ []byte) bool {
		n.keys = append(n.keys, append([]byte(nil), key...))
		return len(n.keys) < 64
	})
	if raw := c.Result("requestState"); raw != nil {
		n.state, n.hasState = text(raw), true
	}
	r.open = append(r.open, n)
}

// continues says whether a request may be the retry that a round asked for: the
// same method, target and arguments, with responses to what was asked.
func (n *round) continues(c *diagnose.Case) bool {
	if n.method != c.Call.Method || n.target != c.Call.Target {
		return false
	}
	if args := wire.Get(c.Call.Params, "arguments"); n.args != nil && !bytes.Equal(args, n.args) {
		return false
	}
	known := true
	wire.Each(c.Param("inputResponses"), func(key, _ []byte) bool {
		known = false
		for _, k := range n.keys {
			known = known || bytes.Equal(k, key)
		}
		return known
	})
	return known
}
