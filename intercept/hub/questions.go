package hub

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// maxAsked bounds the requests of servers that wait for one client, and the calls
// that wait for its input.
const maxAsked = 1000

// question remembers a request of a server, and returns the id that it has for
// the client: those of two servers may be the same. "" when too many wait already.
func (s *session) question(b *backend, m *wire.Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) >= maxAsked {
		return ""
	}
	s.lastID++
	s.asked[s.lastID] = question{b: b, id: string(m.ID), token: string(progressToken(m))}
	return strconv.FormatInt(s.lastID, 10)
}

// withdrawn forgets a request that its server has cancelled, and returns its id
// for the client.
func (s *session) withdrawn(b *backend, id []byte) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, q := range s.asked {
		if q.b == b && bytes.Equal([]byte(q.id), id) {
			delete(s.asked, n)
			return strconv.FormatInt(n, 10), true
		}
	}
	return "", false
}

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
		got, ok := onlyMessage(q)
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
		if got, ok := onlyMessage(text); ok {
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
	m, ok := onlyMessage(text)
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

// maxRounds bounds how often a server may ask for more input in one call.
const maxRounds = 16

// input continues with a call of a client that has a session, to a server of
// 2026-07-28 whose result asks for input: the client is asked by requests, and the
// call is made again with its responses.
func (s *session) input(ctx context.Context, b *backend, m *wire.Message, sent, answer []byte, p *reply) []byte {
	if p == nil || p.asked != nil {
		return answer
	}
	for range maxRounds {
		got, ok := onlyMessage(answer)
		if !ok || wire.Text(wire.Get(got.Result, "resultType")) != "input_required" {
			return answer
		}
		var responses []string
		wire.Members(object(wire.Get(got.Result, "inputRequests")), func(key, value []byte) bool {
			if r := s.put(ctx, b, value, p); r != nil {
				responses = append(responses, quote(string(key))+":"+string(r))
			}
			return ctx.Err() == nil
		})
		if ctx.Err() != nil {
			return answer
		}
		add := `"inputResponses":{` + strings.Join(responses, ",") + "}"
		if state := wire.Get(got.Result, "requestState"); state != nil {
			add += `,"requestState":` + string(state)
		}
		first, _ := onlyMessage(sent)
		next, _ := onlyMessage(splice(first.Raw, first.Params, "{"+join(contents(first.Params), add)+"}"))
		c := &call{
			id: s.ownID(), client: string(m.ID), method: string(m.Method), reply: p,
			token: string(progressToken(&first)),
		}
		answer = b.pass(ctx, splice(next.Raw, next.ID, c.id), c)
		if got, ok := onlyMessage(answer); ok && got.ID != nil {
			answer = splice(answer, got.ID, c.client)
		}
	}
	return failure(m.ID, mcp.CodeInternalError, b.part.Name, "server %s asks for input again and again", b.part.Name)
}

// put asks the client what a result asks for, and returns what it says: a raw
// result, nil for an error.
func (s *session) put(ctx context.Context, b *backend, what []byte, p *reply) []byte {
	done := make(chan []byte, 1)
	s.mu.Lock()
	s.lastID++
	id := s.lastID
	s.asked[id] = question{b: b, done: done}
	s.mu.Unlock()
	text := request(fmt.Sprint(id), wire.Text(wire.Get(what, "method")), wire.Get(what, "params"))
	if !p.event(text) {
		s.out.put(text)
	}
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return nil
	}
}
