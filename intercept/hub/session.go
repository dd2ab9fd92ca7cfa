package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// session is a client's session with the hub: with all servers, or with one.
type session struct {
	hub      *Hub
	id       string
	ctx      context.Context // ends with the session
	cancel   context.CancelFunc
	backends []*backend // in the order of their names
	out      outbox
	over     sync.Once // its end, which others wait for
	restored bool      // it began in another process

	mu        sync.Mutex // guards below
	rec       registry.Session
	revision  uint64
	saved     time.Time // when rec.Accessed was saved
	lastID    int64
	asked     map[int64]question  // what servers want of the client
	owners    map[string]*backend // of the URIs of resources, and the ids of tasks, that were seen
	suspended map[string]*ongoing // calls that wait for the next POST of their client
	busy      int                 // requests under way
	trails    []*reply            // streams that may be asked for again, the latest last
	listeners map[*listener]bool  // clients of 2026-07-28 that subscribe to what changes
	level     string              // of logs, as the client has set it; "" for none
	seen      map[string]int      // how often requests named the session in which way
}

// question is a request of a server that the client has not answered.
type question struct {
	b     *backend
	id    string      // as the server gave it, raw
	token string      // of progress, raw
	done  chan []byte // gets the result in the server's place, nil for an error; nil: the server gets it
}

// newSession makes a session of what is to be kept of it. Nothing is begun.
func (h *Hub) newSession(rec registry.Session, given map[string]string) *session {
	s := &session{
		hub: h, id: rec.ID, rec: rec,
		asked: map[int64]question{}, owners: map[string]*backend{}, seen: map[string]int{},
		suspended: map[string]*ongoing{}, listeners: map[*listener]bool{},
	}
	s.out.trail = trail{name: "s", most: maxWaiting, least: 1}
	s.out.wake = make(chan struct{}, 1)
	s.ctx, s.cancel = context.WithCancel(h.ctx)
	if s.rec.Servers == nil {
		s.rec.Servers = map[string]registry.Server{}
	}
	for _, p := range h.plan(rec, given) {
		if rec.Route != "" && p.Name != rec.Route {
			continue
		}
		kept := rec.Servers[p.Name]
		s.backends = append(s.backends, &backend{
			s: s, part: p, reason: shown(&p, p.Reason), calls: map[string]*call{}, watched: map[string]bool{},
			handle: handle{kept.Handle, kept.Temporary}, greeting: kept.Greeting,
			modern: mcp.Version(wire.Text(wire.Get(kept.Greeting, "protocolVersion"))).IsModern(),
		})
	}
	return s
}

// plan plans a session. Variables that came with it go before the hub's.
func (h *Hub) plan(rec registry.Session, given map[string]string) []plan.Part {
	lost := slices.DeleteFunc(slices.Clone(rec.Given), func(name string) bool { _, ok := given[name]; return ok })
	return h.Config.Plan(plan.Wish{
		Dir: cmp.Or(rec.Dir, h.Dir), Contexts: rec.Contexts, Lost: lost, Given: given, Lookup: h.Lookup,
	})
}

func (s *session) log() *slog.Logger { return s.hub.Log.With("session", short(s.id)) }

// routed is the backend of a session with one server, nil for one with all.
func (s *session) routed() *backend {
	if s.rec.Route == "" || len(s.backends) == 0 {
		return nil
	}
	return s.backends[0]
}

// clients is the id of the session that one client has; "" when clients share it.
func (s *session) clients() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mcp.Version(s.rec.Version).IsModern() {
		return ""
	}
	return s.id
}

func (s *session) params() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rec.Params
}

func (s *session) ownID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	return fmt.Sprintf(`"midwire-%d"`, s.lastID)
}

// enter says that a request of the client's begins, and how it named the session.
func (s *session) enter(from string) {
	s.mu.Lock()
	s.busy++
	s.seen[from]++
	s.rec.Accessed = s.hub.now()
	due := s.rec.Accessed.Sub(s.saved) > min(cmp.Or(s.hub.Timeout, time.Hour)/20, time.Minute)
	s.mu.Unlock()
	if due {
		s.save()
	}
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.rec.Accessed = s.hub.now()
}

// save keeps the session in the store. One that somebody has deleted there ends.
func (s *session) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := s.rec
	rec.Servers = maps.Clone(rec.Servers)
	rec.Hub = s.hub.name
	revision, err := s.hub.sessions.Save(s.ctx, &rec, s.revision)
	switch {
	case err == nil:
		s.revision, s.saved = revision, rec.Accessed
	case errors.Is(err, registry.ErrTaken):
		s.hub.lose(s)
	case s.ctx.Err() == nil:
		s.hub.Log.Error("session not kept", "session", short(s.id), "error", err.Error())
	}
}

func (s *session) keepServer(b *backend) {
	b.mu.Lock()
	kept := registry.Server{Handle: b.handle.id, Temporary: b.handle.temporary, Greeting: b.greeting}
	b.mu.Unlock()
	if len(kept.Greeting) > maxKept {
		kept.Greeting = nil // in another process it is begun again
	}
	s.mu.Lock()
	s.rec.Servers[b.part.Name] = kept
	stored := s.revision > 0
	s.mu.Unlock()
	if stored {
		s.save()
	}
}

// begin begins all servers at once and waits for their handshakes. Those that
// fail say so later.
func (s *session) begin(note string) {
	s.each(func(b *backend) {
		if _, reason := b.state(); reason == "" {
			_ = b.ready(note)
		}
	})
}

// each calls do for every server at once, and waits.
func (s *session) each(do func(*backend)) {
	var all sync.WaitGroup
	for _, b := range s.backends {
		all.Go(func() {
			defer defect.Recover("a session with a server", 0, s.hub.defect)
			do(b)
		})
	}
	all.Wait()
}

// use makes a server ready for a request, also in a session that began in another
// process.
func (b *backend) use() error {
	if running, reason := b.state(); running {
		return nil
	} else if reason != "" {
		return fmt.Errorf("%s", reason)
	}
	note := "begun at its first use"
	if b.s.restored {
		note = "session " + b.s.id + " restored: it began in another process of the hub; this server is begun again at its first use"
	}
	return b.ready(note)
}

// greeting is the result of the hub's own handshake: what all servers can.
func (s *session) greeting(version string) string {
	capabilities := map[string]any{}
	var texts []string
	for _, b := range s.backends {
		g := b.greeted()
		if _, reason := b.state(); g == nil || reason != "" {
			continue
		}
		merge(capabilities, wire.Get(g, "capabilities"))
		if text := wire.Text(wire.Get(g, "instructions")); text != "" {
			texts = append(texts, "# "+b.part.Name+"\n\n"+text)
		}
	}
	return encodeGreeting(version, capabilities, texts, s.hub.Version)
}

// negotiate returns the version of the protocol that the hub speaks with a client
// that asks for one.
func negotiate(asked string) string {
	for _, v := range mcp.Versions() {
		if string(v) == asked && !v.IsModern() {
			return asked
		}
	}
	return string(mcp.LastHandshake)
}

// end ends the session and all its servers. A kept one can be gone on with.
func (s *session) end(keep bool) {
	if keep {
		s.save()
	}
	s.cancel()
	s.each(func(b *backend) { b.end(keep) })
}
