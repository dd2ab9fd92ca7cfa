package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"midwire/intercept"
	"midwire/intercept/hub/cluster"
	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/mcp"
	"midwire/session/record"
)

// Hub is several servers behind one address. Its fields are set before Run, and not
// changed any more.
type Hub struct {
	Config *plan.Config
	Listen net.Listener   // for clients. Run closes it
	Store  registry.Store // where sessions are kept. It stays open
	// Name is what the store knows this process by; "" to choose one.
	Name string
	// Members are the hubs that share the store: requests for their sessions are
	// passed to them. nil when this is the only one.
	Members cluster.Members
	// Record creates the recording of a tap. All are of one flow.
	Record func(record.Header) *record.Writer
	Lookup func(name string) (string, bool) // the hub's variables
	// Environ is what local servers get, beside what their configuration says.
	Environ []string
	Dir     string        // working directory of sessions that name none
	Timeout time.Duration // without a request a session ends after that time; 0: never
	Log     *slog.Logger  // secrets are not said to it
	// Confine is the command line that confines what it is followed by; nil where
	// that is not possible. See Confined.
	Confine []string
	Version string // of midwire
	// OnTrouble is that of the taps.
	OnTrouble  func(error)
	AllowHosts []string              // by which clients may call the hub, beside local ones
	Upstream   intercept.HTTPOptions // how remote servers are reached: CACert, Insecure
	Now        func() time.Time      // nil for the system's clock

	ctx      context.Context
	name     string // of this process
	sessions registry.Registry
	mux      http.Handler
	entries  map[string]entry // where the switchboard finds remote servers
	began    time.Time
	wg       sync.WaitGroup // all goroutines
	closing  atomic.Bool
	past     past

	mu   sync.Mutex // guards live
	live map[string]*session
	// coming is held while a session is made of what the store has of it.
	coming sync.Mutex
	first  sync.Mutex // held while a session is made that no one has named
}

// The sides on which the hub is recorded.
const sideClient, sideServer = "client", "server"

// Run serves clients until ctx ends. Then all servers are ended; what the store
// keeps of the sessions stays, so that another hub can continue with them.
func (h *Hub) Run(ctx context.Context) error {
	work, cancel := context.WithCancel(context.Background())
	defer cancel()
	h.ctx, h.name, h.began = work, cmp.Or(h.Name, rand.Text()[:16]), h.now()
	h.sessions, h.live, h.mux = registry.Registry{Store: h.Store}, map[string]*session{}, h.routes()
	if h.Members != nil {
		to := cluster.Transport()
		defer to.CloseIdleConnections()
		h.mux = h.shared(h.mux, to)
	}
	defer h.wg.Wait()
	defer h.Listen.Close()
	stopBoards, err := h.openBoards()
	if err != nil {
		return err
	}
	defer stopBoards()
	inner, stopInner, err := h.serve()
	if err != nil {
		return err
	}
	board, stopBoard, err := h.switchboard(inner)
	if err != nil {
		return errors.Join(err, stopInner())
	}
	h.wg.Go(func() { h.reap(work) })
	h.wg.Go(func() { h.watch(work) })
	err = h.front(ctx, board)
	cancel()
	stopBoard()
	return errors.Join(err, stopInner())
}

// front runs the tap that clients connect to, until ctx ends. Then all servers are
// ended first, so that clients get responses to what they wait for.
func (h *Hub) front(ctx context.Context, board string) error {
	asked, failed := context.WithCancel(ctx)
	open, shut := context.WithCancel(context.Background())
	ended := make(chan struct{})
	defer func() { failed(); <-ended }()
	go func() {
		defer close(ended)
		<-asked.Done()
		h.closing.Store(true)
		h.endAll()
		shut()
	}()
	now := time.Now()
	target := &url.URL{Scheme: "http", Host: board}
	tap := &intercept.HTTP{
		Target: target, Listen: h.Listen, KeepHost: true, Started: now, OnTrouble: h.OnTrouble,
		Record: h.Record(record.Header{
			Started: now, Tap: "http", Label: "hub", Side: sideClient,
			Target: target.String(), Listen: h.Listen.Addr().String(),
		}),
	}
	return tap.Run(open)
}

// serve serves what is the hub's own, on an address of this machine.
func (h *Hub) serve() (address string, stop func() error, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(h.Log.Handler(), slog.LevelDebug),
	}
	h.wg.Go(func() { _ = server.Serve(ln) })
	return ln.Addr().String(), server.Close, nil
}

// tap starts a tap in front of a URL, and returns the origin to use in its place.
// client is the client's session that it serves alone, "" for none. stop ends it and
// waits for it.
func (h *Hub) tap(p *plan.Part, target *url.URL, label, client, note string) (origin string, stop func(), err error) {
	o := h.Upstream
	o.Listen, o.OnTrouble = "127.0.0.1:0", h.OnTrouble
	tap, end, err := o.Start(context.Background(), target, record.Header{
		Label: label, Side: sideServer, Target: withoutValues(intercept.ShowTarget(target), p.Hidden),
		ClientSession: client, Mask: p.Masked,
	}, func(header record.Header) *record.Writer {
		w := h.Record(header)
		addNote(w, note)
		return w
	}, nil)
	if err != nil {
		return "", nil, err
	}
	return tap.Origin(), func() {
		if err := end(); err != nil {
			h.Log.Error("tap", "label", label, "error", err.Error())
		}
	}, nil
}

func (h *Hub) names() (all []string) {
	for _, s := range h.Config.Servers {
		all = append(all, s.Name)
	}
	return all
}

func (h *Hub) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}

// maxKept bounds the parameters of a handshake, and the result of one, in the store.
const maxKept = 1 << 20

// create makes a session and keeps it. Its servers are not begun. What came from the
// client is looked at here, whichever way it came.
func (h *Hub) create(rec registry.Session, given map[string]string) (*session, error) {
	if rec.Dir != "" {
		if err := plan.CheckDir(rec.Dir); err != nil {
			return nil, &refusal{http.StatusBadRequest, mcp.CodeInvalidParams, "workingDirectory: " + err.Error()}
		}
	}
	if n := len(rec.Params); n > maxKept {
		return nil, &refusal{
			http.StatusRequestEntityTooLarge, mcp.CodeInvalidParams,
			fmt.Sprintf("the parameters of the handshake have %d bytes, more than %d", n, maxKept),
		}
	}
	rec.ID, rec.Created, rec.Hub = cmp.Or(rec.ID, rand.Text()), h.now(), h.name
	rec.Accessed = rec.Created
	s := h.newSession(rec, given)
	h.coming.Lock() // who finds it in the store finds this one
	defer h.coming.Unlock()
	revision, err := h.sessions.Save(h.ctx, &s.rec, 0)
	if err != nil {
		return nil, err
	}
	s.revision, s.saved = revision, rec.Accessed
	h.mu.Lock()
	h.live[s.id] = s
	h.mu.Unlock()
	h.Log.Info("session begins", "session", short(s.id), "route", rec.Route)
	return s, nil
}

// find returns a session by its id, also one that began in another process; nil
// when there is none.
func (h *Hub) find(ctx context.Context, id string) *session {
	if s := h.running(id); s != nil {
		return s
	}
	h.coming.Lock()
	defer h.coming.Unlock()
	if s := h.running(id); s != nil {
		return s
	}
	rec, revision, err := h.sessions.Load(ctx, id)
	if err != nil {
		if !errors.Is(err, registry.ErrNotFound) {
			h.Log.Error("session not read", "error", err.Error())
		}
		return nil
	}
	if h.isStale(rec, h.now()) || h.Members != nil && rec.Hub != h.name {
		return nil
	}
	s := h.newSession(*rec, nil)
	s.revision, s.restored, s.saved = revision, true, rec.Accessed
	h.mu.Lock()
	h.live[id] = s
	h.mu.Unlock()
	h.Log.Info("session restored", "session", short(id), "was with", rec.Hub)
	return s
}

// open returns the session that a client names, nil when there is none. A session that
// clients share has no name for them: who says its id has only derived it.
func (h *Hub) open(ctx context.Context, id string) *session {
	if s := h.find(ctx, id); s != nil && !s.rec.Shared {
		return s
	}
	return nil
}

func (h *Hub) running(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live[id]
}

func (h *Hub) all() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*session, 0, len(h.live))
	for _, s := range h.live {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *session) int { return a.rec.Created.Compare(b.rec.Created) })
	return out
}

// byCredential names the latest session that began with a credential, in a directory
// if the request names one; "" for none.
func (h *Hub) byCredential(ctx context.Context, hash, route, dir string) string {
	if hash == "" {
		return ""
	}
	all, err := h.sessions.List(ctx)
	if err != nil {
		return ""
	}
	var latest *registry.Session
	for _, rec := range all {
		fits := rec.Credential == hash && rec.Route == route && !rec.Shared && (dir == "" || dir == rec.Dir)
		if fits && (latest == nil || rec.Created.After(latest.Created)) {
			latest = rec
		}
	}
	if latest == nil {
		return ""
	}
	return latest.ID
}

// endSession ends a session for good, and remembers why.
func (h *Hub) endSession(ctx context.Context, s *session, why string) {
	h.past.add(s.id, why)
	if err := h.sessions.Delete(ctx, s.id); err != nil {
		h.Log.Error("session not deleted", "session", short(s.id), "error", err.Error())
	}
	h.remove(s, false)
	h.Log.Info("session ends", "session", short(s.id), "why", why)
}

// remove ends a session in this process, and returns when it has ended.
func (h *Hub) remove(s *session, keep bool) {
	h.mu.Lock()
	if h.live[s.id] == s {
		delete(h.live, s.id)
	}
	h.mu.Unlock()
	s.over.Do(func() { s.end(keep) })
}

// endAll ends all servers and keeps the sessions.
func (h *Hub) endAll() {
	var all sync.WaitGroup
	for _, s := range h.all() {
		all.Go(func() { h.remove(s, true) })
	}
	all.Wait()
}
