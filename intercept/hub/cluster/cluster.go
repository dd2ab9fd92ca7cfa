// Package cluster lets several hubs that share a store be used as one: a request
// that reaches one of them is passed to the hub that has its session, and when that
// hub is gone the session is taken over.
package cluster

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"midwire/intercept/hub/registry"
)

// Members are the hubs of a store.
type Members interface {
	// URL returns where a hub is reached, "" when it is gone.
	URL(name string) string
	// Secret is what the hubs know, and nobody else.
	Secret() string
}

// header marks a request that a hub has passed on: it is passed on once.
const header = "X-Midwire-Hub"

// Front stands in front of a hub.
type Front struct {
	Name     string // of this hub, as its sessions in the store have it
	Registry registry.Registry
	Members  Members
	Log      *slog.Logger
	// Session names the session of a request, "" for none.
	Session func(*http.Request) string
	// Here says whether a session runs in this hub.
	Here func(id string) bool
	// Next serves what is this hub's. It restores a session that does not run here.
	Next http.Handler
	// Transport carries what is passed on.
	Transport http.RoundTripper
}

// Transport is one for a Front.
func Transport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 256, DisableCompression: true, IdleConnTimeout: time.Minute,
	}
}

const (
	retry    = 200 * time.Millisecond
	giveUp   = 15 * time.Second // no hub is gone for longer without being known to be
	maxBytes = 64 << 20
)

// errHere: the request is for this hub after all.
var errHere = errors.New("the session is this hub's")

// errBusy: the session moves to and fro.
var errBusy = errors.New("the hub that has this session cannot be reached")

// errHalf: the hub has ended with a request in its hands.
var errHalf = errors.New("the hub that had this session has ended; what was asked may have been done")

func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := r.Header.Get(header)
	r.Header.Del(header)
	known := given != "" && subtle.ConstantTimeCompare([]byte(given), []byte(f.Members.Secret())) == 1
	id := f.Session(r)
	if id == "" || f.Here(id) {
		f.Next.ServeHTTP(w, r)
		return
	}
	to, err := f.owner(r.Context(), id, "")
	switch {
	case errors.Is(err, errHere):
		f.Next.ServeHTTP(w, r)
	case err != nil:
		body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
		unavailable(w, body, err)
	case known: // whoever passed it on knows better in a moment
		w.Header().Set(header, "elsewhere")
		http.Error(w, "this hub does not have the session", http.StatusMisdirectedRequest)
	default:
		f.passOn(w, r, id, to)
	}
}

// owner returns the URL of the hub that has a session. It is errHere when this hub
// has it, or has taken it over: from a hub that is gone, as dead is known to be.
// What is in no store is for this hub to refuse.
func (f *Front) owner(ctx context.Context, id, dead string) (string, error) {
	for {
		s, seen, err := f.Registry.Load(ctx, id)
		if errors.Is(err, registry.ErrNotFound) {
			return "", errHere
		}
		if err != nil {
			return "", err
		}
		if s.Hub == f.Name || s.Hub == "" {
			return "", errHere
		}
		if at := f.Members.URL(s.Hub); at != "" && at != dead {
			return at, nil
		}
		from := s.Hub
		s.Hub = f.Name
		switch _, err := f.Registry.Claim(ctx, s, seen); {
		case err == nil:
			f.Log.Info("session taken over", "session", id[:min(8, len(id))], "from", from)
			return "", errHere
		case !errors.Is(err, registry.ErrConflict): // somebody was faster: look again
			return "", err
		}
	}
}

// passOn passes a request to the hub at a URL, or wherever its session is then.
func (f *Front) passOn(w http.ResponseWriter, r *http.Request, id, to string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	p := &passage{f, id, to, body}
	proxy := httputil.ReverseProxy{
		Transport: p, FlushInterval: -1, ErrorLog: slog.NewLogLogger(f.Log.Handler(), slog.LevelDebug),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.Header.Set(header, f.Members.Secret())
			pr.Out.Header.Del("Origin") // was looked at here
		},
		ModifyResponse: func(resp *http.Response) error {
			if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
				return nil
			}
			if id := requestID(body); string(id) != "null" {
				resp.Body = &events{ReadCloser: resp.Body, id: id}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			switch {
			case errors.Is(err, errHere):
				r = r.Clone(r.Context())
				r.Header.Del(header)
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				f.Next.ServeHTTP(w, r)
			case r.Context().Err() == nil:
				unavailable(w, body, err)
			}
		},
	}
	proxy.ServeHTTP(w, r)
}

// unavailable refuses a request, under its id if it has one. Only one that nobody has
// taken may come again.
func unavailable(w http.ResponseWriter, body []byte, err error) {
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusBadGateway
	if !errors.Is(err, errHalf) {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write(failure(requestID(body), err))
}

// failure is the response to a request that failed.
func failure(id json.RawMessage, err error) []byte {
	text, _ := json.Marshal(err.Error()) // a string
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, id, text)
}

// requestID is the id of a request, null for anything else.
func requestID(body []byte) json.RawMessage {
	var request struct {
		ID     json.RawMessage
		Method string
	}
	bad := json.Unmarshal(body, &request)
	if bad != nil || request.Method == "" || len(request.ID) == 0 || strings.ContainsAny(string(request.ID[:1]), "{[") {
		return json.RawMessage("null")
	}
	return request.ID
}

// events is the stream of a request's response from another hub. When that hub ends, the
// stream ends with a response that says so, unless it ends within an event.
type events struct {
	io.ReadCloser
	id   json.RawMessage
	tail []byte // the last bytes, to see whether an event is whole
	rest []byte // what is still to be given after the other hub has ended
}

func (e *events) Read(b []byte) (int, error) {
	if e.rest != nil {
		n := copy(b, e.rest)
		if e.rest = e.rest[n:]; len(e.rest) == 0 {
			return n, io.EOF
		}
		return n, nil
	}
	n, err := e.ReadCloser.Read(b)
	e.tail = append(e.tail, b[max(0, n-4):n]...)
	e.tail = e.tail[max(0, len(e.tail)-4):]
	whole := len(e.tail) == 0 || bytes.HasSuffix(e.tail, []byte("\n\n")) || bytes.HasSuffix(e.tail, []byte("\n\r\n"))
	if err != nil && !errors.Is(err, io.EOF) && whole {
		e.rest = fmt.Appendf(nil, "data: %s\n\n", failure(e.id, errHalf))
		return n, nil
	}
	return n, err
}

// passage is the way of one request to the hub that has its session.
type passage struct {
	f    *Front
	id   string
	to   string
	body []byte
}

// RoundTrip sends the request. It is sent again only when no hub has taken it: a
// call that may have run does not run twice.
func (p *passage) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	for until := time.Now().Add(giveUp); time.Now().Before(until); {
		target, err := url.Parse(p.to)
		if err != nil { // which says the URL with all that is in it
			return nil, errors.New("the hub that has this session has given no URL where it is")
		}
		out := r.Clone(ctx)
		out.URL.Scheme, out.URL.Host, out.Host = target.Scheme, target.Host, ""
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(p.body)), int64(len(p.body))
		resp, err := p.f.Transport.RoundTrip(out)
		dead := ""
		var dial *net.OpError
		switch {
		case err == nil && resp.Header.Get(header) == "":
			return resp, nil
		case err == nil: // it has it no more
			resp.Body.Close()
		case errors.As(err, &dial) && dial.Op == "dial":
			if refused(err) {
				dead = p.to
			}
		default:
			return nil, fmt.Errorf("%w: %w", errHalf, err)
		}
		if p.to, err = p.f.owner(ctx, p.id, dead); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
	}
	return nil, errBusy
}
