package run

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// handle takes one arrival.
func (r *run) handle(a arrival) {
	c := a.conn
	defer r.intake.free(a.large)
	switch a.kind {
	case arrivedMessage, arrivedBody:
		r.received(c, a)
	case arrivedEndpoint:
		c.endpoint = cmp.Or(c.endpoint, string(a.payload))
	case arrivedWritten:
		c.written++
	case arrivedHead:
		r.receivedHead(c, a)
	case arrivedEnd:
		r.ended(c, a)
	case arrivedLoss:
		r.exceeded(c, a.err)
		r.lose(c, a.err.Error())
	}
}

// lose ends what is pending on a connection that is lost.
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

// receivedHead takes the head of a response.
func (r *run) receivedHead(c *connection, a arrival) {
	if id := a.head.Get(mcp.HeaderSessionID); id != "" && a.status < 300 && c.sessionID == "" {
		c.sessionID = id
	}
	c.heads++
	r.heard = r.heard || a.status != http.StatusBadGateway && a.status != http.StatusGatewayTimeout
	if a.step >= 0 {
		r.taken[a.step] = true
	}
}

// received takes a payload from the server.
func (r *run) received(c *connection, a arrival) {
	c.silent = 0
	if a.kind == arrivedBody && bytes.HasPrefix(a.payload, []byte("midwire: cannot reach ")) {
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
	if n == 0 && a.kind == arrivedMessage {
		if c.noise++; c.noise == 1 {
			r.AddProblem(int32(c.number), "the server sent something that is no JSON-RPC: "+words.Ellipsis(string(a.payload), 80))
		}
	}
}

// ended takes the end of an HTTP exchange.
func (r *run) ended(c *connection, a arrival) {
	r.exceeded(c, a.err)
	if a.step < 0 {
		return
	}
	r.taken[a.step] = true
	s := &r.Script.Steps[a.step]
	for call := s.First; call < s.First+s.Count; call++ {
		if p, ok := r.pending[call]; ok {
			now := replay.NewResponse(&wire.Message{}, a.status, a.at.Sub(p.sent))
			if a.err != nil {
				now.None = a.err.Error()
			}
			r.endCall(call, now)
		}
	}
	row := r.Script.Row(s.Row)
	name := r.Script.Name(row)
	switch was := int(row.Status); {
	case s.Count > 0 || r.ctx.Err() != nil:
	case a.err != nil && s.Kind == replay.StepSend:
		r.AddProblem(s.Session, fmt.Sprintf("#%d %s: %v", s.Frame, name, a.err))
	case a.status >= 400 && was < 400:
		r.AddProblem(s.Session, fmt.Sprintf("#%d %s got HTTP %d", s.Frame, name, a.status))
	}
}
