package run

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"midwire/replay"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

func (r *run) lose(c *connection, why string) {
	c.lost = cmp.Or(c.lost, why)
	r.endCalls(c, c.lost)
}

// exceeded notes that a server sent more than is taken, before all that is less.
func (r *run) exceeded(c *connection, err error) {
	p := replay.Problem{Session: c.number + 1}
	if !isLimit(err) {
		return
	}
	r.heard = true
	if p.Text = err.Error(); !slices.Contains(r.Problems, p) {
		r.Problems = slices.Insert(r.Problems, 0, p)
	}
}

func (r *run) receivedHead(c *connection, step int32, status int, head http.Header) {
	if id := head.Get(mcp.HeaderSessionID); id != "" && status < 300 && c.sessionID == "" {
		c.sessionID = id
	}
	c.heads++
	r.heard = r.heard || status != http.StatusBadGateway && status != http.StatusGatewayTimeout
	if step >= 0 {
		r.taken[step] = true
	}
}

func (r *run) received(c *connection, a reply) {
	c.silent = 0
	if a.body && bytes.HasPrefix(a.payload, []byte("midwire: cannot reach ")) {
		r.lose(c, string(bytes.TrimSpace(a.payload))) // our proxy wrote it
		return
	}
	r.heard = true
	n, _ := wire.ScanMessages(a.payload, func(_ int, m wire.Message) bool {
		switch m.Kind {
		case wire.MsgResult, wire.MsgError:
			r.receivedResponse(c, a, &m)
		case wire.MsgRequest:
			r.receivedRequest(c, &m)
		case wire.MsgNotification:
			if r.awaited[string(m.Method)] {
				c.notified[string(m.Method)]++
			}
			if string(m.Method) == mcp.NotifyToolsListChanged {
				c.marks, c.listed = nil, false
			}
		}
		return true
	})
	if n == 0 && !a.body {
		if c.noise++; c.noise == 1 {
			r.AddProblem(int32(c.number), "the server sent something that is no JSON-RPC: "+words.Ellipsis(string(a.payload), 80))
		}
	}
}

func (r *run) ended(c *connection, step int32, status int, err error, at time.Time) {
	r.exceeded(c, err)
	if step < 0 {
		return
	}
	r.taken[step] = true
	s := &r.Script.Steps[step]
	for call := s.First; call < s.First+s.Count; call++ {
		if p, ok := r.pending[call]; ok {
			now := replay.NewResponse(&wire.Message{}, status, at.Sub(p.sent))
			if err != nil {
				now.None = err.Error()
			}
			r.endCall(call, now)
		}
	}
	row := r.Script.Row(s.Row)
	name := r.Script.Name(row)
	switch was := int(row.Status); {
	case s.Count > 0 || r.ctx.Err() != nil:
	case err != nil && s.Kind == replay.StepSend:
		r.AddProblem(s.Session, fmt.Sprintf("#%d %s: %v", s.Frame, name, err))
	case status >= 400 && was < 400:
		r.AddProblem(s.Session, fmt.Sprintf("#%d %s got HTTP %d", s.Frame, name, status))
	}
}

// receivedRequest responds to a request of the server as the recorded client did.
func (r *run) receivedRequest(c *connection, m *wire.Message) {
	method := string(m.Method)
	if method == mcp.Ping {
		c.peer.send(outgoing{step: -1, payload: replay.Reply(m.ID, `"result":{}`)})
		return
	}
	i := r.findRequest(c, m)
	if i < 0 {
		r.refuse(c, m, "the server requested "+method+", which is not in the recording; it was refused")
		return
	}
	request := &r.Script.ServerRequests[i]
	c.usedRequests[i] = true
	row := r.Script.Row(request.Row)
	if row.Response == 0 {
		return // the recorded client left it open
	}
	response, err := r.Script.Element(row.Response, row.RBatch)
	if err != nil {
		r.AddProblem(request.Session, err.Error())
		return
	}
	if e, ok := replay.Replace(response, jsonpath.Path{{Name: "id"}}, m.ID); ok {
		response = replay.Apply(response, e)
	}
	names := r.needsConsent(c, outgoing{}, response)
	if replay.FindMask(response) != "" {
		names = append(names, "it holds a credential that the recording masks")
	}
	if len(names) > 0 {
		r.refuse(c, m, "the recorded response to "+method+" was not sent: "+strings.Join(names, ", "))
		return
	}
	c.peer.send(outgoing{step: -1, payload: response})
}

// refuse responds to a request of the server with an error, and says why.
func (r *run) refuse(c *connection, m *wire.Message, why string) {
	r.AddProblem(int32(c.number), why)
	text := "midwire replay: the recording has no response to " + string(m.Method)
	c.peer.send(outgoing{step: -1, payload: replay.Refusal(m.ID, mcp.CodeInternalError, text)})
}

// findRequest finds the recorded request of the server that is the same: one
// with the same content, else the next of its method; -1 when there is none.
func (r *run) findRequest(c *connection, m *wire.Message) int32 {
	s := r.Script
	next, again := int32(-1), int32(-1)
	for i := range s.ServerRequests {
		request := &s.ServerRequests[i]
		row := s.Row(request.Row)
		if s.Sessions[request.Session].Connection != c.number || s.Name(row) != string(m.Method) {
			continue
		}
		recorded, err := s.Message(row.Request, row.Batch)
		if err != nil {
			continue
		}
		same := len(r.opt.Masks.Differences(nil, "params", recorded.Params, m.Params)) == 0
		switch used := c.usedRequests[int32(i)]; {
		case same && !used:
			return int32(i)
		case !used && next < 0:
			next = int32(i)
		case same:
			again = int32(i)
		}
	}
	if next < 0 {
		return again
	}
	return next
}

func (r *run) receivedResponse(c *connection, a reply, m *wire.Message) {
	if _, own := c.own[wire.ID(m.ID)]; own {
		c.own[wire.ID(m.ID)] = m
		return
	}
	call, ok := r.callOf(c, a.step, m)
	if !ok {
		r.AddProblem(int32(c.number), fmt.Sprintf(
			"a response with id %s came that nothing waits for", words.Ellipsis(string(m.ID), 40)))
		return
	}
	p, pending := r.pending[call]
	if !pending {
		return // the run was interrupted, and waits for nothing any more
	}
	r.learn(p.conn, call, m)
	r.endCall(call, replay.NewResponse(m, a.status, a.at.Sub(p.sent)))
}

// callOf finds the call of a response that came in the exchange of a step.
func (r *run) callOf(c *connection, step int32, m *wire.Message) (call int32, ok bool) {
	if call, ok = c.ids[wire.ID(m.ID)]; ok || m.Kind != wire.MsgError {
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
		c.marks = c.marks.Add(m.Result)
	case mcp.Initialize:
		c.version = cmp.Or(mcp.Version(wire.Text(wire.Get(m.Result, "protocolVersion"))), c.version)
	}
	r.Learn(call, c.sessionID, m.Raw, r.Handles)
}

// endCall notes the response to a call, and compares it.
func (r *run) endCall(call int32, now replay.Response) {
	p := r.pending[call]
	delete(r.pending, call)
	if p.conn != nil && p.conn.ids[wire.ID(p.id)] == call {
		delete(p.conn.ids, wire.ID(p.id))
	}
	r.done[call] = true
	if p.conn != nil && r.switchEra(p.conn, call, &now) {
		return
	}
	o := r.Outcome(call)
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
