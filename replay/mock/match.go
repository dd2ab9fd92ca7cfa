package mock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// find finds the recorded call whose response a request gets. When there is none
// it says why; code is that of the JSON-RPC error.
func (c *client) find(r *wire.Message) (call int32, code int, why string) {
	m := c.mock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session < 0 {
		c.session = m.assign(r)
	}
	best, rank := int32(-1), 100
	for level := range replay.AlikeTarget {
		if level == replay.AlikeMasked && best < 0 { // one of which the recording masks a part
			if call, unlike := m.nearest(r, c.used); call >= 0 && len(unlike) == 0 {
				best, rank = call, 0
			}
		}
		for _, call := range m.calls[level][replay.Key(r, level)] {
			at := 16 * int(level)
			if c.used[call] {
				at += 4
			}
			if m.sessionOf(call) != c.session {
				at += 8
			}
			// Of those used up the latest response is sent again.
			if at < rank || at == rank && c.used[call] {
				best, rank = call, at
			}
		}
	}
	if best < 0 && m.Nearest {
		best, _ = m.nearest(r, c.used)
	}
	if best >= 0 {
		c.used[best] = true
		return best, 0, ""
	}
	code, why = m.refusal(r)
	m.say(why)
	return -1, code, why
}

// assign chooses the recorded session for a new client: one of a client of that
// name and protocol version, of those the one that is played least.
func (m *Server) assign(r *wire.Message) int {
	name := wire.Text(wire.Get(r.Params, "clientInfo", "name"))
	m.mu.Lock()
	defer m.mu.Unlock()
	best, least := m.Sessions[0], 1<<30
	for _, i := range m.Sessions {
		n := 2 * m.clients[i]
		if name != "" && m.Script.Sessions[i].Client.Name != name {
			n += 1 << 20
		}
		if m.version[i] != versionIn(r) {
			n += 1 << 10
		}
		if n < least {
			best, least = i, n
		}
	}
	m.clients[best]++
	return best
}

// compared bounds how many recorded requests one is compared with.
const compared = 200

// metaParam covers what says nothing of what a request is about.
var metaParam = replay.Rule{Path: jsonpath.Path{{Name: "params"}, {Name: "_meta"}}}

// nearest returns the recorded call about the same thing whose parameters differ least, a
// fresh one before one that was used, and how they differ; -1 for none.
func (m *Server) nearest(r *wire.Message, used map[int32]bool) (best int32, least []replay.Change) {
	best = -1
	same := m.calls[replay.AlikeTarget][replay.Key(r, replay.AlikeTarget)]
	for _, call := range same[:min(len(same), compared)] {
		recorded, err := m.Script.Request(call)
		if err != nil {
			continue
		}
		d := replay.Differences([]replay.Rule{metaParam}, "params", recorded.Params, r.Params)
		if best < 0 || len(d) < len(least) || len(d) == len(least) && used[best] && !used[call] {
			best, least = call, d
		}
	}
	return best, least
}

// refusal says what of a request is not in the recording, and what is nearest to
// it.
func (m *Server) refusal(r *wire.Message) (code int, why string) {
	s, method := m.Script, string(r.Method)
	target := replay.TargetOf(method, r.Params)
	if !m.known[method] {
		return mcp.CodeMethodNotFound, "midwire mock: " + method + " is not in the recording"
	}
	best, least := m.nearest(r, nil)
	if best < 0 {
		var others []string
		for i := range s.Calls {
			if s.Method(int32(i)) == method && len(others) < 8 && !slices.Contains(others, s.Target(int32(i))) {
				others = append(others, s.Target(int32(i)))
			}
		}
		return mcp.CodeInvalidParams, fmt.Sprintf("midwire mock: %s %s is not in the recording, which has %s",
			method, target, strings.Join(others, ", "))
	}
	var words []string
	for _, c := range least[:min(len(least), 5)] {
		words = append(words, c.String())
	}
	return mcp.CodeInvalidParams, fmt.Sprintf(
		"midwire mock: this %s is not in the recording; nearest is #%d, which differs in %s",
		replay.Label(method, target), s.CallRow(best).Request,
		cmp.Or(strings.Join(words, "; "), "nothing that is compared"))
}
