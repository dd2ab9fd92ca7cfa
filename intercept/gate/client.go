package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"midwire/session/safefile"
)

// Client asks one gate over its control socket.
type Client struct {
	http *http.Client
	base string
}

// Reach returns a client for the gate at an address that a recording of the user's own has.
// Of the address only the name counts: the socket is the one that NewSocket makes for it in
// dir, and a file that is none of ours is not used. A socket whose process is gone is removed.
func Reach(dir, address string) (*Client, error) {
	s := &Socket{}
	if at := socketName().FindStringSubmatch(address); at != nil {
		s = socketAt(dir, at[1])
	}
	switch {
	case s.Address == "":
		return nil, fmt.Errorf("%q is no control socket of midwire", address)
	case strings.HasPrefix(s.Address, unixAddress):
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dialSocket(ctx, s.path) }
		return client(&http.Transport{DialContext: dial}, "http://gate"), nil
	}
	text, err := safefile.ReadOwn(s.path, maxReached)
	if err != nil {
		return nil, err
	}
	var to reached
	if err := json.Unmarshal(text, &to); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	if at, err := netip.ParseAddrPort(to.Address); err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("%s: %q is no address on loopback", s.path, to.Address)
	}
	return client(bearer{to.Secret}, "http://"+to.Address), nil
}

// client follows no redirect: where it leads would get the secret.
func client(by http.RoundTripper, base string) *Client {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{&http.Client{Transport: by, CheckRedirect: stay}, base}
}

// send sends a request; the caller closes the body of the response, which is good.
func (c *Client) send(ctx context.Context, method, target, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if err != nil || resp.StatusCode == http.StatusOK {
		return resp, err
	}
	defer resp.Body.Close()
	var bad problem
	if json.NewDecoder(resp.Body).Decode(&bad) != nil || bad.Error == "" {
		bad.Error = resp.Status
	}
	return nil, errors.New(bad.Error)
}

func (c *Client) ask(ctx context.Context, method, target, body string, into any) error {
	resp, err := c.send(ctx, method, target, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

// State is what is armed and held.
func (c *Client) State(ctx context.Context) (s Snapshot, err error) {
	return s, c.ask(ctx, http.MethodGet, "/state", "", &s)
}

// Held is one held message, whole.
func (c *Client) Held(ctx context.Context, id int) (h Held, err error) {
	return h, c.ask(ctx, http.MethodGet, "/held/"+strconv.Itoa(id), "", &h)
}

// Do has the gate carry out an order.
func (c *Client) Do(ctx context.Context, o Order) error {
	method, target := o.request()
	return c.ask(ctx, method, target, o.Body, &Snapshot{})
}

// Controller controls a gate: what it armed lives as long as it does. With its end all
// that it held is released.
type Controller struct {
	client *Client
	ctx    context.Context
	stop   context.CancelFunc
	lease  string
	states chan Snapshot // the latest that no one took
}

// Attach becomes a controller of the gate, until ctx ends.
func (c *Client) Attach(ctx context.Context) (*Controller, error) {
	ctx, stop := context.WithCancel(ctx)
	resp, err := c.send(ctx, http.MethodGet, "/events", "")
	if err != nil {
		stop()
		return nil, err
	}
	context.AfterFunc(ctx, func() { resp.Body.Close() })
	lines := json.NewDecoder(resp.Body)
	var first stateLine
	if err := lines.Decode(&first); err != nil {
		stop()
		return nil, err
	}
	k := &Controller{client: c, ctx: ctx, stop: stop, states: make(chan Snapshot, 1), lease: first.Lease}
	k.states <- *first.State
	go k.follow(lines)
	return k, nil
}

// follow takes the events in.
func (k *Controller) follow(lines *json.Decoder) {
	defer close(k.states)
	defer k.stop()
	for {
		var line stateLine
		if lines.Decode(&line) != nil {
			return
		}
		select {
		case <-k.states: // another one is the latest
		default:
		}
		k.states <- *line.State
	}
}

// Lease is the name under which it arms.
func (k *Controller) Lease() string { return k.lease }

// Next returns what is armed and held when that is news. An error ends it.
func (k *Controller) Next() (Snapshot, error) {
	s, ok := <-k.states
	if !ok {
		return s, errors.New("the proxy has ended, or its gate")
	}
	return s, nil
}

// Show returns one held message, whole.
func (k *Controller) Show(id int) (Held, error) {
	ctx, stop := context.WithTimeout(k.ctx, replyTime)
	defer stop()
	return k.client.Held(ctx, id)
}

// Do has the gate carry out an order.
func (k *Controller) Do(o Order) error {
	ctx, stop := context.WithTimeout(k.ctx, replyTime)
	defer stop()
	o.Lease = k.lease
	if err := k.client.Do(ctx, o); err != nil {
		return fmt.Errorf("%s: %w", o.Do, err)
	}
	return nil
}

// Close ends it: the gate releases what it held.
func (k *Controller) Close() { k.stop() }

// A gate that is asked by many at once refuses some, as a socket that no one serves
// does: it is asked again for so long.
const (
	refusedFor   = time.Second
	refusedPause = 20 * time.Millisecond
)

// dialSocket connects to a socket that this user has made in a folder of this user's alone.
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	for end := time.Now().Add(refusedFor); ; {
		if err := isOurSocket(path); err != nil {
			return nil, fmt.Errorf("control socket: %w", err)
		}
		c, err := new(net.Dialer).DialContext(ctx, "unix", path)
		refused := errors.Is(err, syscall.ECONNREFUSED)
		switch {
		case refused && isAbandoned(path):
			removeSocket(path)
			return nil, err
		case !refused && !errors.Is(err, syscall.EAGAIN), time.Now().After(end):
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(refusedPause):
		}
	}
}

func isOurSocket(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().Type() != os.ModeSocket || !safefile.IsOurs(info) {
		return fmt.Errorf("%s is no socket of this user", path)
	}
	return safefile.Private(filepath.Dir(path))
}

// isAbandoned reports whether the process is gone that made a socket: the name of the socket,
// or of its own folder, has its number.
func isAbandoned(path string) bool {
	at := socketName().FindStringSubmatch(path)
	if at == nil {
		return false
	}
	number, _, _ := strings.Cut(at[1], "-")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// direct uses no proxy of the environment.
var direct = &http.Transport{}

type bearer struct{ secret string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.secret)
	return direct.RoundTrip(r)
}
