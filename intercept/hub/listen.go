package hub

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Servers with a handshake say unasked what changes. From 2026-07-28 a client says what it
// wants to know, with a request that stays open (2026-07-28 basic/patterns/subscriptions).

// listener is a client of 2026-07-28 that wants to know what changes.
type listener struct {
	mu    sync.Mutex // held until its subscription is acknowledged, which comes before all else
	reply *reply
	tag   string // the member of _meta that names its subscription
	wants map[string]bool
	uris  map[string]bool // of the resources that it wants to know of
}

// tell passes a notification on, if the client wants it.
func (l *listener) tell(m *wire.Message) bool {
	wants := l.wants[string(m.Method)]
	if string(m.Method) == mcp.NotifyResourcesUpdated {
		uri := wire.Text(wire.Get(m.Params, "uri"))
		for of := range l.uris {
			wants = wants || strings.HasPrefix(uri, of)
		}
	}
	if !wants {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reply.event(notification(string(m.Method), tagged(m.Params, l.tag)))
}

// listen tells a client what changes, until it leaves. A server of the client's own era
// says so itself; the hub says it of all others, and of all servers together.
func (s *session) listen(ctx context.Context, m *wire.Message, p *reply) []byte {
	if !p.takes {
		return failure(m.ID, mcp.CodeInvalidRequest, "", "a subscription is a stream: the request has to accept text/event-stream")
	}
	if b := s.routed(); b != nil && b.use() == nil && b.isModern() {
		return b.pass(ctx, m.Raw, &call{id: string(m.ID), method: mcp.Listen, given: string(p.given), reply: p})
	}
	wanted := object(wire.Get(m.Params, "notifications"))
	l := &listener{
		reply: p, tag: fmt.Sprintf(`%q:%s`, mcp.MetaSubscriptionID, p.given),
		wants: map[string]bool{}, uris: map[string]bool{},
	}
	for _, change := range mcp.ListChanges() {
		l.wants[change] = string(wire.Get(wanted, mcp.SubscriptionMember(change))) == "true"
	}
	wire.Items(wire.Get(wanted, "resourceSubscriptions"), func(_ int, uri []byte) bool {
		l.uris[wire.Text(uri)] = true
		ask, _ := onlyMessage(request(s.ownID(), mcp.ResourcesSubscribe, []byte(`{"uri":`+string(uri)+`}`)))
		s.owned(ctx, &ask, nil, wire.Text(uri), "resources")
		return true
	})
	// What changes from the acknowledgment on is told: it is listened for before.
	l.mu.Lock()
	s.mu.Lock()
	s.listeners[l] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, l)
	}()
	acknowledged := p.event(notification(mcp.NotifyAcknowledged, fmt.Appendf(nil, `{"notifications":%s,"_meta":{%s}}`, wanted, l.tag)))
	l.mu.Unlock()
	if !acknowledged {
		return nil
	}
	for _, b := range s.backends {
		if b.use() == nil && b.isModern() {
			s.hub.wg.Go(func() {
				id := s.ownID()
				_ = b.pass(ctx, splice(m.Raw, m.ID, id), &call{id: id, method: mcp.Listen, listener: l})
			})
		}
	}
	<-ctx.Done()
	return nil
}

// announce tells all subscribers what a server says of its own accord.
func (s *session) announce(text []byte) (told bool) {
	m, ok := onlyMessage(text)
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.listeners))
	s.mu.Unlock()
	for _, l := range all {
		told = ok && l.tell(&m) || told
	}
	return told
}

// subscription is the call by which a notification was asked for, nil for none.
func (b *backend) subscription(m *wire.Message) *call {
	id := wire.Get(m.Params, "_meta", mcp.MetaSubscriptionID)
	if id == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.calls[string(id)]; c != nil && c.method == mcp.Listen {
		return c
	}
	return nil
}

// subscribed passes on what came by way of a subscription: to the client whose it is, or
// as a server with a handshake says it.
func (s *session) subscribed(b *backend, m *wire.Message, c *call) {
	meta := wire.Get(m.Params, "_meta")
	switch {
	case c.reply != nil:
		c.reply.event(splice(m.Raw, wire.Get(meta, mcp.MetaSubscriptionID), c.given))
	case string(m.Method) == mcp.NotifyAcknowledged:
	case c.listener != nil:
		c.listener.tell(m)
	default:
		s.deliver(b, splice(m.Raw, meta, withoutMembers(meta, mcp.MetaSubscriptionID)), nil)
	}
}

// follow subscribes to what a server of 2026-07-28 says, for a client with a session,
// instead of what was subscribed to so far.
func (b *backend) follow() {
	b.mu.Lock()
	before := b.unfollow
	ctx, cancel := context.WithCancel(b.s.ctx)
	b.unfollow = cancel
	uris := slices.Sorted(maps.Keys(b.watched))
	b.mu.Unlock()
	var wanted []string
	for _, change := range mcp.ListChanges() {
		wanted = append(wanted, fmt.Sprintf(`%q:true`, mcp.SubscriptionMember(change)))
	}
	for i, uri := range uris {
		uris[i] = quote(uri)
	}
	if len(uris) > 0 {
		wanted = append(wanted, `"resourceSubscriptions":[`+strings.Join(uris, ",")+"]")
	}
	params := fmt.Appendf(nil, `{"notifications":{%s}}`, strings.Join(wanted, ","))
	b.s.hub.wg.Go(func() { b.ask(ctx, mcp.Listen, params) })
	if before != nil {
		before()
	}
}

// old answers what a client with a session asks of servers with a handshake alone, in the
// place of a server of 2026-07-28; nil for all other methods.
func (b *backend) old(m *wire.Message) []byte {
	switch string(m.Method) {
	case mcp.Ping:
	case mcp.LogSetLevel:
		b.s.mu.Lock()
		b.s.level = wire.Text(wire.Get(m.Params, "level"))
		b.s.mu.Unlock()
	case mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe:
		uri := wire.Text(wire.Get(m.Params, "uri"))
		b.mu.Lock()
		if delete(b.watched, uri); string(m.Method) == mcp.ResourcesSubscribe && len(b.watched) < maxAsked {
			b.watched[uri] = true
		}
		b.mu.Unlock()
		b.follow()
	default:
		return nil
	}
	return result(m.ID, "{}")
}

// tagged adds members, which are there without braces, to the _meta of params.
func tagged(params []byte, add string) []byte {
	if old := wire.Get(params, "_meta"); old != nil {
		return splice(params, old, "{"+join(add, contents(old))+"}")
	}
	return []byte("{" + join(`"_meta":{`+add+"}", contents(params)) + "}")
}
