package hub

import (
	"context"
	"fmt"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

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
		got, ok := one(answer)
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
		first, _ := one(sent)
		next := splice(first.Raw, first.Params, "{"+join(inside(first.Params), add)+"}")
		c := &call{id: string(m.ID), method: string(m.Method), token: string(progressToken(&first)), reply: p}
		answer = b.pass(ctx, next, c)
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
