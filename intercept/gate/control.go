package gate

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"midwire/session/wire"
)

// Handler serves the control interface, which docs/gate.md describes. A secret that
// is not empty must come with every request as a bearer token.
func (g *Gate) Handler(secret string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { reply200(w, g.Snapshot()) })
	mux.HandleFunc("GET /events", g.serveEvents)
	mux.HandleFunc("GET /held/{id}", g.serveHeld)
	mux.HandleFunc("PUT /arm", g.serveArm)
	mux.HandleFunc("DELETE /arm", g.serveDisarm)
	post := func(path string, do func(id int, by string, r *http.Request, body []byte) error) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUnit))
			id, _ := strconv.Atoi(r.URL.Query().Get("id"))
			if err == nil {
				err = do(id, r.URL.Query().Get("lease"), r, body)
			}
			g.done(w, err)
		})
	}
	post("/alive", func(int, string, *http.Request, []byte) error { return nil })
	post("/release", func(id int, by string, r *http.Request, _ []byte) error {
		return g.Release(id, r.URL.Query().Has("as-received"), by)
	})
	post("/release-all", func(_ int, by string, _ *http.Request, _ []byte) error {
		g.ReleaseAll(by)
		return nil
	})
	post("/edit", func(id int, by string, r *http.Request, body []byte) error {
		payload, head := body, []byte(nil)
		if r.URL.Query().Has("head") {
			payload, head = nil, body
		}
		err := g.Edit(id, payload, head, by)
		if err == nil && r.URL.Query().Has("release") {
			err = g.Release(id, false, by)
		}
		return err
	})
	for path, do := range map[string]Action{
		"/drop": {Verb: Drop}, "/answer": {Verb: Answer}, "/duplicate": {Verb: Duplicate, Count: 1},
	} {
		post(path, func(id int, by string, _ *http.Request, body []byte) error {
			one := do
			one.JSON = body
			return g.Do(id, one, by)
		})
	}
	post("/inject", func(_ int, by string, r *http.Request, body []byte) error {
		d := wire.ToClient
		if to := r.URL.Query().Get("to"); to == "server" || to == ">" {
			d = wire.ToServer
		}
		return g.Inject(r.URL.Query().Get("session"), d, body, by)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := []byte(r.Header.Get("Authorization"))
		if secret != "" && subtle.ConstantTimeCompare(given, []byte("Bearer "+secret)) != 1 || r.Header.Get("Origin") != "" {
			http.Error(w, "not yours", http.StatusForbidden)
			return
		}
		if name := r.URL.Query().Get("lease"); name != "" && !g.Alive(name) {
			refuse(w, http.StatusGone, errors.New("the lease "+name+" has ended: what it armed is disarmed"))
			return
		}
		// Who is slow keeps a connection, of which there are few, for a time only.
		out := http.NewResponseController(w)
		_, _ = out.SetReadDeadline(time.Now().Add(slowest)), out.SetWriteDeadline(time.Now().Add(usualPatience))
		mux.ServeHTTP(w, r)
	})
}

func reply200(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // whoever asked may have left
}

// problem is what a request that failed gets.
type problem struct {
	Error string `json:"error"`
	Line  int    `json:"line,omitempty"` // of the rules, from 1
	At    int    `json:"at,omitempty"`   // byte of the line
	Fix   string `json:"fix,omitempty"`
}

func refuse(w http.ResponseWriter, status int, err error) {
	p := problem{Error: err.Error()}
	var bad *LineError
	if errors.As(err, &bad) {
		p.Error, p.Line, p.At, p.Fix = bad.Err.Text, bad.Line, bad.Err.At, bad.Err.Fix
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(p)
}

// done answers with what there is now, or with what went wrong.
func (g *Gate) done(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, ErrGone):
		refuse(w, http.StatusNotFound, err)
	case err != nil:
		refuse(w, http.StatusBadRequest, err)
	default:
		reply200(w, g.Snapshot())
	}
}

func (g *Gate) serveHeld(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.PathValue("id"))
	v, err := g.Show(id)
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	reply200(w, v)
}

// serveArm replaces the rules of a lease by those of the body, a line each. Without
// a lease they are armed until somebody disarms them, or for a time.
func (g *Gate) serveArm(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	s, err := ParseScenario(string(body))
	if seed, e := strconv.ParseUint(q.Get("seed"), 10, 64); e == nil {
		s.Seed = seed
	}
	if s.Seed == 0 {
		s.Seed = uint64(time.Now().UnixNano())
	}
	owner := q.Get("lease")
	if d, e := time.ParseDuration(q.Get("for")); e == nil && d > 0 && owner == "" && err == nil {
		owner, _, err = g.Lease(d)
	}
	if err == nil && owner == "" {
		for _, rule := range s.Rules {
			if rule.Do.Verb == Hold {
				err = errors.New("to hold needs a lease, so that nothing waits for ever: GET /events gives one; or say for=30s")
			}
		}
	}
	if err == nil {
		err = g.Replace(s.Rules, s.Seed, owner)
	}
	g.done(w, err)
}

func (g *Gate) serveDisarm(w http.ResponseWriter, r *http.Request) {
	owner := r.URL.Query().Get("lease")
	if owner == "" {
		owner = "*"
	}
	g.Disarm(owner)
	g.done(w, nil)
}

// said is a line of the stream of events.
type said struct {
	Lease    string    `json:"lease,omitempty"`       // the first line: what to name in requests
	Patience int64     `json:"patience_ms,omitempty"` // the first line
	State    *Snapshot `json:"state,omitempty"`
}

// serveEvents tells a controller what there is, at every change and often enough to
// see that somebody is there. The connection is the lease: with its end, or when
// the controller is not heard of for its patience, everything it armed is released.
func (g *Gate) serveEvents(w http.ResponseWriter, r *http.Request) {
	patience := usualPatience
	if d, err := time.ParseDuration(r.URL.Query().Get("patience")); err == nil {
		patience = min(max(d, time.Second), mostPatience)
	}
	name, lost, err := g.Lease(patience)
	if err != nil {
		refuse(w, http.StatusTooManyRequests, err)
		return
	}
	defer g.End(name)
	news, stop := g.listen()
	defer stop()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/x-ndjson")
	_ = out.SetReadDeadline(time.Time{}) // nothing more is to come from it
	line := said{Lease: name, Patience: patience.Milliseconds()}
	beat := time.NewTicker(max(patience/3, 100*time.Millisecond))
	defer beat.Stop()
	for {
		s := g.Snapshot()
		line.State = &s
		_ = out.SetWriteDeadline(time.Now().Add(min(patience, usualPatience)))
		if json.NewEncoder(w).Encode(line) != nil || out.Flush() != nil {
			return
		}
		line = said{}
		select {
		case <-news:
		case <-beat.C:
		case <-lost:
			return
		case <-r.Context().Done():
			return
		}
	}
}
