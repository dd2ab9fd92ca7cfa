package run

import (
	"strings"
	"time"

	"midwire/replay"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

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
	if r.opt.Speed > 0 {
		r.await(time.Duration(float64(row.Latency())/r.opt.Speed), never)
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
