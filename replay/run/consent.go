package run

import (
	"fmt"
	"strconv"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// needsConsent returns what of a payload that is about to be sent needs a
// consent that the user did not give. It asks the server for its tools when that
// was not done.
func (r *run) needsConsent(c *connection, o outgoing, payload []byte) []string {
	if r.opt.Yes {
		return nil
	}
	tools, doubt := replay.CallsOf(payload)
	var names []string
	if doubt != "" {
		names = append(names, doubt+" (--yes sends it)")
	}
	for _, name := range tools {
		recorded := r.Tool(name).ReadOnly
		if recorded && !c.marks[name] && !c.listed {
			r.listTools(c, o, payload)
		}
		switch {
		case !recorded:
			names = append(names, name+" is not marked read-only in the recording (--yes calls it)")
		case !c.marks[name]:
			names = append(names, name+" is not marked read-only by this server (--yes calls it)")
		}
	}
	return names
}

// maxPages bounds how long a server may continue listing tools.
const maxPages = 100

// listTools asks a server for its tools, in the manner of the call that is to be
// sent.
func (r *run) listTools(c *connection, o outgoing, payload []byte) {
	c.listed = true
	params := map[string]any{}
	if meta := envelopeOf(payload); len(meta) > 0 {
		params["_meta"] = meta
	}
	for range maxPages {
		c.ownRequests++
		id := fmt.Sprintf("midwire-replay-%d", c.ownRequests)
		request := replay.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": mcp.ToolsList, "params": params})
		m := r.exchangeOwn(c, strconv.Quote(id), outgoing{step: -1, head: o.head, payload: request})
		if m == nil || m.Kind != wire.MsgResult {
			return
		}
		c.marks = c.marks.With(m.Result)
		next := wire.Text(wire.Get(m.Result, "nextCursor"))
		if next == "" {
			return
		}
		params["cursor"] = next
	}
}
