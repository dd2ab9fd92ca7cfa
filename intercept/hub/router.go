package hub

import (
	"bytes"
	"context"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// handle routes a message of the client's, and returns the response if it is a
// request. Without one the request was cancelled.
func (s *session) handle(ctx context.Context, m *wire.Message, p *reply) []byte {
	switch {
	case isRequest(m) && s.routed() != nil:
		return s.direct(ctx, m, p)
	case isRequest(m):
		return s.route(ctx, m, p)
	case isNotification(m):
		s.notified(m)
	default:
		s.answered(m)
	}
	return nil
}

// direct passes a request on to the only server, as it is.
func (s *session) direct(ctx context.Context, m *wire.Message, p *reply) []byte {
	b := s.routed()
	if string(m.Method) == mcp.Initialize && b.greeted() == nil {
		b.begin.Lock()
		defer b.begin.Unlock()
		if _, reason := b.state(); reason != "" {
			return failure(m.ID, mcp.CodeInternalError, b.part.Name, "server %s: %s", b.part.Name, reason)
		}
		if _, err := b.launch(""); err != nil {
			return b.failed(m.ID, b.fail(err))
		}
		answer := s.passOn(ctx, b, m, m.Raw, p)
		if got, ok := onlyMessage(answer); ok && got.Result != nil {
			b.met(got.Result)
			s.agreed(wire.Text(wire.Get(got.Result, "protocolVersion")))
		} else if b.turns(ctx) {
			version := negotiate(wire.Text(wire.Get(m.Params, "protocolVersion")))
			s.agreed(version)
			g := b.greeted()
			return result(m.ID, string(splice(g, wire.Get(g, "protocolVersion"), quote(version))))
		}
		return answer
	}
	return s.forwardWhenReady(ctx, b, m, m.Raw, p)
}

// route answers a request of a session with all servers.
func (s *session) route(ctx context.Context, m *wire.Message, p *reply) []byte {
	switch string(m.Method) {
	case mcp.Initialize:
		return s.initialize(m)
	case mcp.Ping:
		return result(m.ID, "{}")
	case mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList:
		return s.list(ctx, m, p)
	case mcp.ToolsCall, mcp.PromptsGet:
		return s.named(ctx, m, p, wire.Get(m.Params, "name"))
	case mcp.ResourcesRead, mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe:
		return s.owned(ctx, m, p, wire.Text(wire.Get(m.Params, "uri")), "resources")
	case mcp.TasksGet, mcp.TasksResult, mcp.TasksCancel, mcp.TasksUpdate:
		return s.owned(ctx, m, p, wire.Text(wire.Get(m.Params, "taskId")), "tasks")
	case mcp.Complete:
		if name := wire.Get(m.Params, "ref", "name"); name != nil {
			return s.named(ctx, m, p, name)
		}
		return s.owned(ctx, m, p, wire.Text(wire.Get(m.Params, "ref", "uri")), "completions")
	case mcp.LogSetLevel:
		s.each(func(b *backend) {
			if b.can("logging") {
				_ = s.forwardWhenReady(ctx, b, m, m.Raw, nil)
			}
		})
		return result(m.ID, "{}")
	}
	return failure(m.ID, mcp.CodeMethodNotFound, "", "method not found: the hub does not know which server %q is for", m.Method)
}

// initialize shakes hands with the client, once all servers have.
func (s *session) initialize(m *wire.Message) []byte {
	s.mu.Lock()
	again := s.rec.Version != ""
	s.mu.Unlock()
	if again {
		return failure(m.ID, mcp.CodeInvalidRequest, "", "this session is initialized already")
	}
	s.begin("")
	version := negotiate(wire.Text(wire.Get(m.Params, "protocolVersion")))
	s.agreed(version)
	return result(m.ID, s.greeting(version))
}

func (s *session) agreed(version string) {
	s.mu.Lock()
	s.rec.Version = version
	s.mu.Unlock()
	s.save()
}

// forwardWhenReady passes a request on to a server that has to be ready first.
func (s *session) forwardWhenReady(ctx context.Context, b *backend, m *wire.Message, text []byte, p *reply) []byte {
	if err := b.use(); err != nil {
		return b.failed(m.ID, err)
	}
	return s.passOn(ctx, b, m, text, p)
}

func (s *session) passOn(ctx context.Context, b *backend, m *wire.Message, text []byte, p *reply) []byte {
	if now, _ := onlyMessage(text); b.isModern() && (p == nil || p.asked == nil) {
		if answer := b.old(&now); answer != nil {
			return answer
		}
	}
	if bad := b.prepare(ctx, m, text, p); bad != nil {
		return bad
	}
	c := &call{id: string(m.ID), method: string(m.Method), token: string(progressToken(m)), reply: p}
	if c.token != "" && p != nil && p.asked != nil { // several clients share the server
		now, _ := onlyMessage(text)
		c.token, c.given = c.id, c.token
		text = splice(now.Raw, progressToken(&now), c.token)
	}
	answer := b.pass(ctx, text, c)
	if string(m.Method) == mcp.ToolsList {
		b.learnHeaders(answer)
	}
	return s.input(ctx, b, m, text, answer, p)
}

// separator stands between the name of a server and that of its tool or prompt.
const separator = "_"

// owner finds the server by the name of a tool or prompt, and what the server
// calls it. Of two names of servers that fit, the longer one counts.
func (s *session) owner(full string) (found *backend, bare string) {
	for _, b := range s.backends {
		if rest, ok := strings.CutPrefix(full, b.part.Name+separator); ok && (found == nil || len(rest) < len(bare)) {
			found, bare = b, rest
		}
	}
	return found, bare
}

// named passes a request on to the server whose tool or prompt it names, under the
// name that the server knows. Nothing else of it changes.
func (s *session) named(ctx context.Context, m *wire.Message, p *reply, name []byte) []byte {
	b, bare := s.owner(wire.Text(name))
	if b == nil {
		return failure(m.ID, mcp.CodeInvalidParams, "", "%s: no server has %s. Names begin with that of their server, like %s",
			m.Method, name, s.example())
	}
	answer := s.forwardWhenReady(ctx, b, m, splice(m.Raw, name, quote(bare)), p)
	s.learn(b, answer)
	return answer
}

func (s *session) example() string {
	for _, b := range s.backends {
		if b.part.Reason == "" {
			return b.part.Name + separator + "…"
		}
	}
	return "SERVER" + separator + "NAME"
}

// learn remembers whose a task is that a response begins.
func (s *session) learn(b *backend, answer []byte) {
	for _, path := range [][]string{{"result", "task", "taskId"}, {"result", "taskId"}} {
		if id := wire.Text(wire.Get(answer, path...)); id != "" {
			s.claim(id, b)
		}
	}
}

// maxOwned and maxName bound what a session remembers of whose something is. What it
// does not remember is looked for each time.
const (
	maxOwned = 100_000
	maxName  = 4 << 10
)

// claim remembers whose something is. The first server that has it keeps it.
func (s *session) claim(id string, b *backend) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners[id] == nil && len(s.owners) < maxOwned && len(id) <= maxName {
		s.owners[id] = b
	}
}

// owned passes a request on to the server that has a resource or a task. One that
// was not seen in a list is looked for: the servers are asked one after the other
// until one has it.
func (s *session) owned(ctx context.Context, m *wire.Message, p *reply, id, capability string) []byte {
	s.mu.Lock()
	b := s.owners[id]
	s.mu.Unlock()
	if b != nil {
		return s.forwardWhenReady(ctx, b, m, m.Raw, p)
	}
	answer := failure(m.ID, mcp.CodeInvalidParams, "", "no server has %q", id)
	for _, b := range s.backends {
		if _, reason := b.state(); reason != "" || !b.can(capability) {
			continue
		}
		answer = s.forwardWhenReady(ctx, b, m, m.Raw, p)
		if got, ok := onlyMessage(answer); ok && got.Result != nil {
			s.claim(id, b)
			break
		}
		if ctx.Err() != nil {
			break
		}
	}
	return answer
}

// notified passes on what the client says without being asked.
func (s *session) notified(m *wire.Message) {
	to := func(*backend) bool { return true }
	switch method := string(m.Method); {
	case method == mcp.NotifyInitialized && s.routed() == nil:
		return // the servers have heard it from the hub
	case method == mcp.NotifyCancelled:
		id := string(wire.Get(m.Params, "requestId"))
		to = func(b *backend) bool { return b.cancelled(id, m.Raw) }
	case m.Method != nil && method == mcp.NotifyInitialized: // which a server of 2026-07-28 does not know
		to = func(b *backend) bool { return !b.isModern() }
	case method == mcp.NotifyProgress && s.routed() == nil:
		if of := s.asker(wire.Get(m.Params, mcp.MetaProgressToken)); of != nil {
			to = func(b *backend) bool { return b == of }
		}
	}
	for _, b := range s.backends {
		if running, _ := b.state(); running && to(b) {
			if err := b.tell(m.Raw); err != nil {
				s.log().Warn("notification not passed on", "server", b.part.Name, "error", err.Error())
			}
		}
	}
}

// cancelled ends a call that the client gives up. It says whether the server has
// to be told: when it has that call, or is the only one.
func (b *backend) cancelled(id string, m []byte) bool {
	id, has := b.idOf(id)
	if has {
		var err error
		if b.isModern() {
			err = b.withdraw(id)
		} else {
			err = b.tell(m)
		}
		if err == nil {
			b.settle(id, nil)
		}
	}
	return !has && b.s.routed() != nil && !b.isModern()
}

// asker is the server that wants progress of a request under a token.
func (s *session) asker(token []byte) *backend {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.asked {
		if q.token != "" && q.token == string(token) {
			return q.b
		}
	}
	return nil
}

// answered passes a response of the client's on to the server that has asked,
// under the id that it has given.
func (s *session) answered(m *wire.Message) {
	if b := s.routed(); b != nil && !b.isModern() {
		_ = b.tell(m.Raw)
		return
	}
	n, ok := number(m.ID)
	s.mu.Lock()
	q, known := s.asked[n]
	delete(s.asked, n)
	s.mu.Unlock()
	if !ok || !known {
		s.log().Warn("a response of the client that nobody waits for", "id", clip(string(m.ID)))
		return
	}
	if q.done != nil {
		q.done <- m.Result
		return
	}
	if err := q.b.tell(splice(m.Raw, m.ID, q.id)); err != nil {
		s.log().Warn("response not passed on", "server", q.b.part.Name, "error", err.Error())
	}
}

// fromServer passes on what a server says without being asked, or asks. It goes
// where the call is waited for that it came with, if that is known.
func (s *session) fromServer(b *backend, m *wire.Message, about *call) {
	if c := b.subscription(m); c != nil {
		s.subscribed(b, m, c)
		return
	}
	text := m.Raw
	switch method := string(m.Method); {
	case method == mcp.NotifyProgress:
		if c := b.byToken(wire.Get(m.Params, mcp.MetaProgressToken)); c != nil {
			if about = c; c.given != "" {
				text = splice(m.Raw, wire.Get(m.Params, mcp.MetaProgressToken), c.given)
			}
		}
	case s.routed() != nil:
	case isRequest(m) && method == mcp.Ping:
		answer := result(bytes.Clone(m.ID), "{}")
		s.hub.wg.Go(func() { _ = b.tell(answer) })
		return
	case isRequest(m):
		id := s.question(b, m)
		if id == "" {
			answer := failure(bytes.Clone(m.ID), mcp.CodeInternalError, "", "%d requests wait for this client already", maxAsked)
			s.hub.wg.Go(func() { _ = b.tell(answer) })
			return
		}
		text = splice(m.Raw, m.ID, id)
	case method == mcp.NotifyCancelled:
		id := wire.Get(m.Params, "requestId")
		now, ok := s.withdrawn(b, id)
		if !ok {
			return
		}
		text = splice(m.Raw, id, now)
	}
	s.deliver(b, text, about)
}

// deliver brings a message to the client: on the stream of the call that it came
// with, on the stream without a request, or on that of the only call that runs.
func (s *session) deliver(b *backend, text []byte, about *call) {
	if c := b.likely(); about == nil && c != nil && (c.reply.asked != nil || !s.out.listens()) {
		about = c
	}
	if about != nil && about.reply != nil && about.reply.pass(text) {
		return
	}
	if told := s.announce(text); told || s.clients() == "" {
		return
	}
	if n := s.out.put(text); n > 0 {
		s.log().Warn("the client does not listen: messages of servers are lost", "messages", n)
	}
}
