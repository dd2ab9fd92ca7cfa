package hub

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// What servers of earlier versions ask of the client while a call runs, a client of
// 2026-07-28 is asked by the result of that call: it answers with the next POST of
// the same call (2026-07-28 basic/patterns/mrtr). The call of the server runs on
// meanwhile.

// ask keeps a request of a server for the client of a call without a session. False
// when the call has another kind of client.
func (p *reply) ask(question []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil || len(p.questions) >= maxAsked {
		return false
	}
	p.questions = append(p.questions, question)
	select {
	case p.asked <- struct{}{}:
	default:
	}
	return true
}

// rebind makes the next POST of a call the one that waits.
func (p *reply) rebind(w http.ResponseWriter, r *http.Request) {
	next := newReply(w, r)
	next.mu.Lock()
	next.close() // its timer; p has its own
	next.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.w, p.open, p.closed, p.params = w, false, false, next.params
	if p.alive != nil {
		p.alive.Reset(aliveEvery)
	}
}

// ownState is how the states of the hub's own begin; servers may have theirs.
const ownState = "midwire-"

// suspend returns the result that asks the client what servers want to know.
func (s *session) suspend(e *ongoing, m *wire.Message) []byte {
	e.reply.mu.Lock()
	questions := e.reply.questions
	e.reply.questions = nil
	e.reply.mu.Unlock()
	var parts []string
	for _, q := range questions {
		got, ok := one(q)
		if !ok {
			continue
		}
		params := ""
		if got.Params != nil {
			params = `,"params":` + string(got.Params)
		}
		parts = append(parts, fmt.Sprintf(`%s:{"method":%s%s}`, quote("q"+string(got.ID)), quote(string(got.Method)), params))
	}
	state := ownState + rand.Text()
	s.mu.Lock()
	full := len(s.suspended) >= maxAsked
	if !full {
		s.suspended[state] = e
	}
	s.mu.Unlock()
	if full {
		e.cancel()
		return failure(m.ID, mcp.CodeInternalError, "", "%d calls wait for input of this client already: answer or cancel some", maxAsked)
	}
	return result(m.ID, fmt.Sprintf(`{"resultType":"input_required","inputRequests":{%s},"requestState":%q}`, strings.Join(parts, ","), state))
}

// resume finds the request that a client goes on with, and hands its responses to
// who has asked.
func (s *session) resume(state string, m *wire.Message) *ongoing {
	s.mu.Lock()
	e := s.suspended[state]
	delete(s.suspended, state)
	s.mu.Unlock()
	if e == nil {
		return nil
	}
	wire.Members(object(wire.Get(m.Params, "inputResponses")), func(key, value []byte) bool {
		text := result([]byte(strings.TrimPrefix(string(key), "q")), string(value))
		if got, ok := one(text); ok {
			s.answered(&got)
		}
		return true
	})
	return e
}

// pass passes on what a server says while a call runs, as the client of the call
// takes it.
func (p *reply) pass(text []byte) bool {
	if p.asked == nil {
		return p.event(text)
	}
	m, ok := one(text)
	switch {
	case ok && isRequest(&m):
		return p.ask(text)
	case ok && string(m.Method) == mcp.NotifyProgress:
		return p.event(text)
	case ok && string(m.Method) == mcp.NotifyMessage:
		return p.quiet || p.event(text)
	}
	return false // what changes is for subscriptions
}
