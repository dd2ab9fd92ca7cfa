package run

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// connection is what stands for one connection of the recording now: a process,
// or a session over HTTP.
type connection struct {
	number int
	peer   carrier
	lost   string // why it carries nothing any more

	ids          map[string]int32         // pending calls, by the id they were sent with
	own          map[string]*wire.Message // requests of the run's own, and the responses
	usedRequests map[int32]bool           // recorded requests of the server
	notified     map[string]int           // notifications that came, by method
	due          map[string]int           // those that were waited for
	written      int                      // requests that are out
	version      mcp.Version              // what was negotiated
	sessionID    string                   // what the server issued
	recordedID   string                   // what the recorded session had, "" for none
	endpoint     string                   // where HTTP+SSE wants posts
	noise        int                      // payloads that are no JSON-RPC
	heads        int                      // of responses
	era          era
	silent       int  // calls that got no response since anything came
	works        bool // a call has succeeded: the era is right
	handshaken   bool // a handshake was made for it
	listening    bool // its own stream is open

	marks       replay.Marks // what the server says of its tools
	listed      bool         // all of them were requested
	ownRequests int
}

// carrier carries what is sent. Its methods do not block for long and emit
// arrivals to the driver.
type carrier interface {
	send(o outgoing)
	stream(o outgoing) // opens a stream of the server's own (GET)
	remove(o outgoing) // ends the session (DELETE)
	leave(step int32)  // gives up an exchange
	close()            // leaves the server; it has ended when it returns
}

type outgoing struct {
	step    int32 // -1 for what no step is of
	payload []byte
	head    wire.Head // of the recorded request, zero when it had none
}

// connection returns the connection of a session, and makes it when it is new.
func (r *run) connection(s *replay.Session) (*connection, error) {
	if c := r.conns[s.Connection]; c != nil {
		return c, nil
	}
	c := &connection{
		number: s.Connection, recordedID: s.ID, ids: map[string]int32{}, own: map[string]*wire.Message{},
		usedRequests: map[int32]bool{}, notified: map[string]int{}, due: map[string]int{},
	}
	r.conns[s.Connection] = c
	var err error
	if r.opt.URL != nil {
		err = r.connectHTTP(c, s)
	} else {
		err = r.connectStdio(c)
	}
	if err != nil {
		delete(r.conns, s.Connection)
	}
	return c, err
}

// start begins what all connections share.
func (r *run) start() error {
	if r.opt.URL == nil {
		return nil
	}
	return r.startProxy()
}

// finish leaves the target and waits for the proxies.
func (r *run) finish() {
	if r.ctx.Err() != nil { // the ends of sessions are not waited for
		clear(r.pending)
	}
	numbers := slices.Sorted(maps.Keys(r.conns))
	for _, n := range numbers {
		c := r.conns[n]
		ends := c.sessionID != "" && c.lost == "" && c.era != eraModern
		// What the recorded client could close, it closed or left.
		could := r.Script.Header.Tap == "http" && c.recordedID != ""
		if ends && !could && r.ctx.Err() == nil {
			before := c.heads
			c.peer.remove(outgoing{step: -1})
			r.await(2*time.Second, func() bool { return c.heads > before })
		}
	}
	for _, n := range numbers {
		r.conns[n].peer.close()
	}
	if r.stopProxy != nil {
		r.stopProxy()
	}
	close(r.quit)
	slices.SortStableFunc(r.Outcomes, func(a, b replay.Outcome) int { return int(a.Call) - int(b.Call) })
}

func (r *run) startProxy() error {
	tap, stop, err := r.opt.Proxy(r.ctx, nil, r.label(r.opt.URL.Host))
	if err != nil {
		return err
	}
	if path := tap.Record.Path(); path != "" {
		r.Other = append(r.Other, path)
	}
	r.proxy, r.stopProxy = tap.Listen.Addr().String(), stop
	return nil
}

// label names the recording of a replay, and links it to the original.
func (r *run) label(target string) string {
	return "replay of " + cmp.Or(r.Script.Header.ID, filepath.Base(r.Script.Path)) + ": " + target
}
