package run

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"midwire/replay"
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
