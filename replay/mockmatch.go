package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// find finds the recorded call whose answer a request gets. When there is none
// it says why; code is that of the JSON-RPC error.
func (c *client) find(r *wire.Message) (call int32, code int, why string) {
	m := c.mock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session < 0 {
		c.session = m.assign(r)
	}
	best, rank := int32(-1), 100
	for level := sameExactly; level <= sameThing; level++ {
		if level == sameThing && (!m.Nearest || best >= 0) {
			break
		}
		list := m.calls[level][keyOf(r, level)]
		if level == sameThing {
			list = c.nearest(list, r)
		}
		for _, call := range list {
			at := 16 * int(level)
			if c.used[call] {
				at += 4
			}
			if m.sessionOf(call) != c.session {
				at += 8
			}
			// Of those used up the latest answer is said again.
			if at < rank || at == rank && c.used[call] {
				best, rank = call, at
			}
		}
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
// name and revision, of those the one that is played least.
func (m *Mock) assign(r *wire.Message) int {
	name := wire.Text(wire.Get(r.Params, "clientInfo", "name"))
	m.mu.Lock()
	defer m.mu.Unlock()
	best, least := m.Sessions[0], 1<<30
	for _, i := range m.Sessions {
		n := 2 * m.clients[i]
		if name != "" && m.Script.Sessions[i].Client.Name != name {
			n += 1 << 20
		}
		if m.asked[i] != asksFor(r) {
			n += 1 << 10
		}
		if n < least {
			best, least = i, n
		}
	}
	m.clients[best]++
	return best
}

// asksFor is the revision that a request asks for, "" when it does not say.
func asksFor(r *wire.Message) string {
	if string(r.Method) == mcp.Initialize {
		return wire.Text(wire.Get(r.Params, "protocolVersion"))
	}
	return wire.Text(wire.Get(r.Params, "_meta", mcp.MetaProtocolVersion))
}

// compared bounds how many recorded requests one is compared with.
const compared = 200

// nearest returns of calls the one whose parameters differ least.
func (c *client) nearest(calls []int32, r *wire.Message) []int32 {
	best, least := int32(-1), maxChanges+1
	for _, call := range calls[:min(len(calls), compared)] {
		if n := len(c.mock.differences(call, r)); n < least || n == least && c.used[best] && !c.used[call] {
			best, least = call, n
		}
	}
	if best < 0 {
		return nil
	}
	return []int32{best}
}

// differences lists how a request differs from a recorded one.
func (m *Mock) differences(call int32, r *wire.Message) []Change {
	recorded, err := m.Script.request(call)
	if err != nil {
		return nil
	}
	d := differ{masks: &Masks{Rules: []Rule{}}}
	d.rules = []Rule{{Path: jsonpath.Path{{Name: "params"}, {Name: "_meta"}}}}
	d.raw("params", recorded.Params, r.Params)
	return d.found
}

// refusal says what of a request was not recorded, and what is nearest to it.
func (m *Mock) refusal(r *wire.Message) (code int, why string) {
	method := string(r.Method)
	target := targetOf(method, r.Params)
	if !m.known[method] {
		return mcp.CodeMethodNotFound, "midwire mock: nobody recorded " + method
	}
	same := m.calls[sameThing][keyOf(r, sameThing)]
	if len(same) == 0 {
		var others []string
		for i := range m.Script.Calls {
			if call := int32(i); m.Script.Method(call) == method && len(others) < 8 && !slices.Contains(others, m.Script.target(call)) {
				others = append(others, m.Script.target(call))
			}
		}
		return mcp.CodeInvalidParams, fmt.Sprintf("midwire mock: nobody recorded %s %s; recorded: %s", method, target, strings.Join(others, ", "))
	}
	best, least := same[0], []Change(nil)
	for i, call := range same[:min(len(same), compared)] {
		if d := m.differences(call, r); i == 0 || len(d) < len(least) {
			best, least = call, d
		}
	}
	var words []string
	for _, c := range least[:min(len(least), 5)] {
		words = append(words, c.words())
	}
	return mcp.CodeInvalidParams, fmt.Sprintf("midwire mock: nobody recorded this %s; nearest is #%d, which differs in %s",
		strings.TrimSpace(method+" "+target), m.Script.row(m.Script.Calls[best].Row).Request, cmp.Or(strings.Join(words, "; "), "nothing that is compared"))
}
