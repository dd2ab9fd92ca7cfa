package gate

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Handler serves the control interface, which docs/gate.md describes. A secret that
// is not empty must come with every request as a bearer token.
func (g *Gate) Handler(secret string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { done(w, g.Snapshot(), nil) })
	mux.HandleFunc("GET /events", g.serveEvents)
	mux.HandleFunc("GET /held/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(r.PathValue("id"))
		v, err := g.Show(id)
		done(w, v, err)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		o, err := orderOf(w, r)
		if err == nil {
			err = g.Obey(o)
		}
		done(w, g.Snapshot(), err)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := []byte(r.Header.Get("Authorization"))
		if secret != "" && subtle.ConstantTimeCompare(given, []byte("Bearer "+secret)) != 1 || r.Header.Get("Origin") != "" {
			http.Error(w, "not yours", http.StatusForbidden)
			return
		}
		if name := r.URL.Query().Get("lease"); name != "" && !g.leased(name) {
			refuse(w, http.StatusGone, errors.New("the lease "+name+" has ended: what it armed is disarmed"))
			return
		}
		// Who is slow keeps a connection, of which there are few, for a time only.
		out := http.NewResponseController(w)
		_, _ = out.SetReadDeadline(time.Now().Add(slowest)), out.SetWriteDeadline(time.Now().Add(replyTime))
		mux.ServeHTTP(w, r)
	})
}

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
func done(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, ErrGone):
		refuse(w, http.StatusNotFound, err)
	case err != nil:
		refuse(w, http.StatusBadRequest, err)
	default:
		w.Header().Set("Content-Type", "application/json")
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // the caller may have left
	}
}

// orderOf is the order that a request stands for, and request the other way round.
func orderOf(w http.ResponseWriter, r *http.Request) (o Order, err error) {
	q, most := r.URL.Query(), int64(maxUnit)
	switch o.Do = strings.TrimPrefix(r.URL.Path, "/"); {
	case o.Do == "arm" && r.Method == http.MethodPut:
		most = maxScenario
	case o.Do == "arm" && r.Method == http.MethodDelete:
		o.Do = "disarm"
	case r.Method != http.MethodPost || o.Do == "arm" || o.Do == "disarm":
		return o, errors.New("no such request: " + r.Method + " " + r.URL.Path)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	o.Body, o.Lease, o.Session = string(body), q.Get("lease"), q.Get("session")
	o.ID, _ = strconv.Atoi(q.Get("id"))
	o.AsReceived, o.Release = q.Has("as-received"), q.Has("release")
	o.ToServer = q.Get("to") == "server" || q.Get("to") == ">"
	return o, err
}

func (o *Order) request() (method, target string) {
	method, target = http.MethodPost, o.Do
	switch o.Do {
	case "arm":
		method = http.MethodPut
	case "disarm":
		method, target = http.MethodDelete, "arm"
	}
	q := url.Values{}
	set := func(name, value string, on bool) {
		if on {
			q.Set(name, value)
		}
	}
	set("lease", o.Lease, o.Lease != "")
	set("session", o.Session, o.Session != "")
	set("id", strconv.Itoa(o.ID), o.ID != 0)
	set("as-received", "", o.AsReceived)
	set("release", "", o.Release)
	set("to", "server", o.ToServer)
	return method, "/" + target + "?" + q.Encode()
}

type stateLine struct {
	Lease string    `json:"lease,omitempty"` // the first line: what to name in requests
	State *Snapshot `json:"state,omitempty"`
}

// serveEvents reports to a controller what there is, at every change. The connection is
// the lease: with its end everything that was armed under it is released.
func (g *Gate) serveEvents(w http.ResponseWriter, r *http.Request) {
	name, err := g.Lease()
	if err != nil {
		refuse(w, http.StatusTooManyRequests, err)
		return
	}
	defer g.End(name)
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/x-ndjson")
	_ = out.SetReadDeadline(time.Time{}) // nothing more is to come from it
	line := stateLine{Lease: name}
	for {
		s, news := g.current()
		line.State = &s
		_ = out.SetWriteDeadline(time.Now().Add(replyTime))
		if json.NewEncoder(w).Encode(line) != nil || out.Flush() != nil {
			return
		}
		line = stateLine{}
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
}
