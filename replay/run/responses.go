package run

import (
	"cmp"
	"fmt"
	"slices"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

func (r *run) receivedResponse(c *connection, a reply, m *wire.Message) {
	if _, own := c.own[string(m.ID)]; own {
		c.own[string(m.ID)] = m
		return
	}
	call, ok := r.callOf(c, a.step, m)
	if !ok {
		r.AddProblem(int32(c.number), fmt.Sprintf(
			"a response with id %s came that nothing waits for", words.Ellipsis(string(m.ID), 40)))
		return
	}
	p := r.pending[call]
	r.learn(p.conn, call, m)
	r.endCall(call, replay.NewResponse(m, a.status, a.at.Sub(p.sent)))
}

// callOf finds the call of a response that came in the exchange of a step.
func (r *run) callOf(c *connection, step int32, m *wire.Message) (call int32, ok bool) {
	if call, ok = c.ids[string(m.ID)]; ok || m.Kind != wire.MsgError {
		return call, ok
	}
	if step >= 0 {
		// An error that could not tell its id is the response to the only call there is.
		if s := &r.Script.Steps[step]; s.Count == 1 {
			_, ok = r.pending[s.First]
			return s.First, ok
		}
	}
	if r.opt.URL == nil && len(c.ids) == 1 && (len(m.ID) == 0 || string(m.ID) == "null") {
		for _, call = range c.ids {
			return call, true
		}
	}
	return 0, false
}

// learn takes what a response issues.
func (r *run) learn(c *connection, call int32, m *wire.Message) {
	if _, ok := r.Tooled(r.Script.Calls[call].Step); ok {
		return
	}
	switch r.Script.Method(call) {
	case mcp.ToolsList:
		c.marks = c.marks.With(m.Result)
	case mcp.Initialize:
		c.version = cmp.Or(mcp.Version(wire.Text(wire.Get(m.Result, "protocolVersion"))), c.version)
	}
	r.Learn(call, c.sessionID, m.Raw, r.Handles)
}

// endCall notes the response to a call, and compares it.
func (r *run) endCall(call int32, now replay.Response) {
	p := r.pending[call]
	delete(r.pending, call)
	if p.conn != nil && p.conn.ids[p.id] == call {
		delete(p.conn.ids, p.id)
	}
	r.done[call] = true
	if p.conn != nil && r.switchEra(p.conn, call, &now) {
		return
	}
	o := r.Script.Outcome(call)
	if tool, ok := r.Tooled(r.Script.Calls[call].Step); ok {
		o.Method, o.Target, o.Now, o.Verdict = mcp.ToolsCall, tool, now, replay.Extra
		if why, bad := now.Failure(o.Method); bad {
			o.Verdict, o.Note = replay.Broken, why
		}
		r.add(&o)
		return
	}
	was := r.Script.Recorded(call)
	masks := &r.opt.Masks
	if p.conn != nil && p.conn.era != eraRecorded {
		masks = masks.AcrossEras()
	}
	masks.Compare(&o, &was, &now, r.opt.Slow)
	if o.Method == mcp.ToolsCall && r.opt.Schema != nil && now.Result() != nil {
		o.Schema = r.schemaFaults(o.Target, now.Result())
	}
	r.add(&o)
}

// maxChecked is how long a result may be, in bytes, to be checked against a
// schema.
const maxChecked = 4 << 20

// schemaFaults checks a tool's result against the schema it has in the
// recording.
func (r *run) schemaFaults(tool string, now []byte) []string {
	schema, result := r.Tool(tool).Output, wire.Get(now, "structuredContent")
	if schema == nil || result == nil || len(result) > maxChecked || string(wire.Get(now, "isError")) == "true" {
		return nil
	}
	return r.opt.Schema(schema, result)
}

// endCalls ends the pending calls of a connection that get no response any more.
func (r *run) endCalls(c *connection, why string) {
	var calls []int32
	for call, p := range r.pending {
		if p.conn == c {
			calls = append(calls, call)
		}
	}
	slices.Sort(calls)
	for _, call := range calls {
		r.endCall(call, replay.NoResponse(why))
	}
}
