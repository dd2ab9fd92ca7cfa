package gate

import (
	"midwire/session/mcp"
	"midwire/session/wire"
)

// learner tells a gate what a proxy has seen before anything was armed: who the
// clients are, and which requests still wait. It reads frames of the recording.
type learner struct {
	gate  *Gate
	calls map[uint32]*talk // by exchange
	stdio talk
	conns map[uint32]*talk // by connection
}

// learn takes a frame. Its bytes are not kept. The gate may be at work already.
func (l *learner) learn(f *wire.Frame) {
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	switch f.Kind {
	case wire.KindLine:
		l.messages(&l.stdio, f)
	case wire.KindRequest:
		if head, ok := wire.ParseHead(f.Data); ok {
			l.calls[f.X] = l.talkOf(f.Conn, &head)
		}
	case wire.KindResponse:
		t := l.calls[f.X]
		if id := wire.HeadValue(f.Data, mcp.HeaderSessionID); t != nil && id != "" && t.id != id {
			l.calls[f.X] = l.gate.named(t, id)
		}
	case wire.KindBody, wire.KindEvent:
		if l.calls[f.X] == nil {
			return
		}
		if t := l.endpoint(f); t != nil {
			l.calls[f.X], l.conns[f.Conn] = t, t
		}
		l.messages(l.calls[f.X], f)
	case wire.KindClose:
		if f.X != 0 && f.Conn != 0 {
			delete(l.calls, f.X)
		}
	}
}

// endpoint is the session whose address an event gives, nil for none.
func (l *learner) endpoint(f *wire.Frame) *talk {
	if f.Kind != wire.KindEvent {
		return nil
	}
	e := wire.ParseEvent(f.Data)
	if e.Name != "endpoint" {
		return nil
	}
	return l.gate.talkOfTarget(string(e.Data))
}

func (l *learner) talkOf(conn uint32, head *wire.Head) *talk {
	if id := head.Get(mcp.HeaderSessionID); id != "" {
		return l.gate.talk(id)
	}
	t := l.conns[conn]
	if t == nil {
		t = &talk{}
		l.conns[conn] = t
	}
	return t
}

func (l *learner) messages(t *talk, f *wire.Frame) {
	u := unit{lane: &lane{dir: f.Dir}, talk: t, payload: f.Payload()}
	u.scan()
}

// done gives what was learnt to the connections that are open.
func (l *learner) done() {
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	for c := range l.gate.conns {
		t := l.conns[c.id]
		if l.gate.tap == "stdio" {
			t = &l.stdio
		}
		if t != nil && t.id != "" {
			c.talk = t
		}
		if t != nil && c.talk.client == "" && c.talk.pending == nil {
			c.talk.client, c.talk.server, c.talk.pending = t.client, t.server, t.pending
		}
	}
}
