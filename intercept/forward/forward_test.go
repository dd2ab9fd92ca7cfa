package forward

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/intercept"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// running is a forward proxy that runs, in front of one TLS server.
type running struct {
	*Proxy
	url   *url.URL
	roots *x509.CertPool // trusts the run's authority alone
	path  string
	stop  func() // completes the recording
}

// start runs a proxy that opens hosts and trusts server, which may be nil.
func start(t *testing.T, server *httptest.Server, hosts ...string) *running {
	t.Helper()
	set, err := ParseHosts(hosts)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := NewAuthority(set.Names())
	if err != nil {
		t.Fatal(err)
	}
	return run(t, &Proxy{Hosts: set, Authority: ca}, func() *intercept.Dialer {
		d := &intercept.Dialer{Roots: x509.NewCertPool()}
		if server != nil && server.Certificate() != nil {
			d.Roots.AddCert(server.Certificate())
		}
		return d
	})
}

// run runs a proxy.
func run(t *testing.T, p *Proxy, dialer func() *intercept.Dialer) *running {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.Create(t.TempDir(), record.Header{Started: time.Now(), Tap: "http"}, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	p.Listen, p.Secret, p.Dialer = ln, NewSecret(), dialer()
	p.Relays = intercept.NewRelays(func() *record.Writer { return rec }, time.Now(), dialer, nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	r := &running{Proxy: p, roots: x509.NewCertPool(), path: rec.Path()}
	r.url, _ = url.Parse(p.URL())
	r.roots.AppendCertsFromPEM(p.Authority.PEM())
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("proxy: %v", err)
		}
		p.Relays.Close()
	})
	t.Cleanup(r.stop)
	return r
}

// client is an HTTP client behind the proxy.
func (r *running) client(t *testing.T) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyURL(r.url), TLSClientConfig: &tls.Config{RootCAs: r.roots}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// frames stops the proxy and reads its recording.
func (r *running) frames(t *testing.T) []wire.Frame {
	t.Helper()
	r.stop()
	in, err := record.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var all []wire.Frame
	for {
		var f wire.Frame
		err := in.Next(&f)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Data = bytes.Clone(f.Data)
		all = append(all, f)
	}
}

// has says whether a frame of the kind contains all of the texts.
func has(all []wire.Frame, k wire.Kind, texts ...string) bool {
	for _, f := range all {
		found := f.Kind == k
		for _, text := range texts {
			found = found && bytes.Contains(f.Data, []byte(text))
		}
		if found {
			return true
		}
	}
	return false
}

func port(s *httptest.Server) string {
	_, p, _ := net.SplitHostPort(s.Listener.Addr().String())
	return p
}

// ping is a handler that answers and says how it was asked.
func ping(asked *[]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, fmt.Sprintf("%s %s %s %v %s", r.Method, r.RequestURI, r.Host, r.Header, body))
		fmt.Fprintf(w, "pong %s", body)
	})
}

func fetch(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	resp, err := c.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(all)
}

func TestOpenedHost(t *testing.T) {
	var asked []string
	s := httptest.NewTLSServer(ping(&asked))
	defer s.Close()
	for _, name := range []string{"127.0.0.1"} {
		r := start(t, s, name)
		if status, text := fetch(t, r.client(t), "https://"+name+":"+port(s)+"/mcp"); status != 200 || text != `pong {"jsonrpc":"2.0"}` {
			t.Fatalf("%d %q", status, text)
		}
		if want := "POST /mcp " + name + ":" + port(s); !strings.HasPrefix(asked[0], want) || strings.Contains(asked[0], "Proxy") {
			t.Errorf("the server was asked %s", asked[0])
		}
		all := r.frames(t)
		if !has(all, wire.KindOpen, `"proto":"tls"`, `"host":"`+name) || !has(all, wire.KindRequest, "POST /mcp") ||
			!has(all, wire.KindBody, "pong") {
			t.Errorf("recorded: %v", all)
		}
	}
}

// The name that a server has a certificate for is what the client asked for.
func TestByName(t *testing.T) {
	var asked []string
	w := newWorld(t)
	w.serve("mcp.example.com", ping(&asked), nil)
	r := w.start(t, "mcp.example.com")
	c := r.client(t)
	c.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	if status, text := fetch(t, c, "https://mcp.example.com/mcp"); status != 200 || !strings.HasPrefix(text, "pong") {
		t.Fatalf("%d %q", status, text)
	}
	if !strings.HasPrefix(asked[0], "POST /mcp mcp.example.com map") {
		t.Errorf("the server was asked %s", asked[0])
	}
	if all := r.frames(t); !has(all, wire.KindEdit, `"alpn"`, `"was":"h2, http/1.1"`) {
		t.Error("the protocol that was not agreed to is not recorded")
	}
}

func TestTunnel(t *testing.T) {
	var asked []string
	s := httptest.NewTLSServer(ping(&asked))
	defer s.Close()
	r := start(t, nil, "elsewhere.example")
	r.roots = x509.NewCertPool()
	r.roots.AddCert(s.Certificate()) // the server's own is what the client sees
	c := r.client(t)
	if status, _ := fetch(t, c, s.URL+"/secret"); status != 200 {
		t.Fatal(status)
	}
	c.CloseIdleConnections()
	all := r.frames(t)
	if !has(all, wire.KindOpen, `"proto":"tunnel"`, `"host":"127.0.0.1:`) || !has(all, wire.KindClose, `"sent":`, `"received":`) {
		t.Errorf("recorded: %v", all)
	}
	for _, f := range all {
		if f.HoldsMessages() || f.Kind == wire.KindRequest || f.Kind == wire.KindRaw {
			t.Errorf("of a tunnel was recorded: %s %q", f.Kind, f.Data)
		}
	}
	if seen := r.Seen(); len(seen.Tunnelled) != 1 || len(seen.Opened) != 0 {
		t.Errorf("%+v", seen)
	}
}

func TestWrongSecret(t *testing.T) {
	var asked []string
	s := httptest.NewServer(ping(&asked))
	defer s.Close()
	r := start(t, s, "127.0.0.1")
	for _, user := range []*url.Userinfo{nil, url.UserPassword(User, "guess"), url.UserPassword(User, "")} {
		r.url.User = user
		resp, err := r.client(t).Get(s.URL)
		if err != nil || resp.StatusCode != http.StatusProxyAuthRequired {
			t.Errorf("%v: %v, %v", user, resp, err)
		}
	}
	if len(asked) > 0 {
		t.Errorf("the server was asked %q", asked)
	}
}

// tunnelTo asks the proxy for a tunnel.
func (r *running) tunnelTo(t *testing.T, hostport string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", r.Listen.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", hostport, basic(r.url))
	got := make([]byte, len(established))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != established {
		t.Fatalf("%q, %v", got, err)
	}
	return c
}

func TestOnlyHTTP2IsATunnel(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	r := start(t, s, "127.0.0.1")
	r.roots.AddCert(s.Certificate())
	raw := r.tunnelTo(t, s.Listener.Addr().String())
	c := tls.Client(raw, &tls.Config{RootCAs: r.roots, ServerName: "127.0.0.1", NextProtos: []string{"h2"}})
	if err := c.Handshake(); err != nil || c.ConnectionState().PeerCertificates[0].Equal(s.Certificate()) == false {
		t.Fatalf("%v, or not the server's own certificate", err)
	}
	c.Close()
	if all := r.frames(t); !has(all, wire.KindOpen, `"proto":"tunnel"`) || !has(all, wire.KindNote, "not opened", "h2") {
		t.Errorf("recorded: %v", all)
	}
}

func TestServerWithoutAGoodCertificate(t *testing.T) {
	var asked []string
	s := httptest.NewTLSServer(ping(&asked))
	defer s.Close()
	r := start(t, nil, "127.0.0.1") // nobody vouches for the server
	status, text := fetch(t, r.client(t), s.URL)
	if status != 502 || !strings.Contains(text, "certificate signed by unknown authority") || len(asked) > 0 {
		t.Errorf("%d %q, the server was asked %q", status, text, asked)
	}
	if all := r.frames(t); !has(all, wire.KindOpen, `"error":"TLS handshake`) {
		t.Errorf("recorded: %v", all)
	}
}

func TestClientThatDoesNotTrust(t *testing.T) {
	r := start(t, nil, "mcp.example.com")
	for _, max := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		c := tls.Client(r.tunnelTo(t, "mcp.example.com:443"), &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "mcp.example.com", MaxVersion: max})
		if err := c.Handshake(); err == nil {
			t.Fatal("it trusts")
		}
		c.Close()
	}
	late := tls.Client(r.tunnelTo(t, "mcp.example.com:443"), &tls.Config{InsecureSkipVerify: true})
	if err := late.Handshake(); err != nil {
		t.Fatal(err)
	}
	late.Close()
	all := r.frames(t)
	if !has(all, wire.KindClose, `"refused":"bad_certificate"`) && !has(all, wire.KindClose, `"refused":"unknown_ca"`) {
		t.Errorf("no alert: %v", all)
	}
	if !has(all, wire.KindClose, `"refused":"left"`) {
		t.Errorf("nothing of who left: %v", all)
	}
	if seen := r.Seen(); len(seen.Refused) != 1 {
		t.Errorf("%+v", seen)
	}
}
