package forward

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"midwire/intercept"
	"midwire/session/wire"
)

// world is an internet of servers by name, with certificates of its own. A proxy
// is the way to them: here is no DNS for them.
type world struct {
	ca    *Authority
	proxy *url.URL

	mu    sync.Mutex        // guards what follows
	addr  map[string]string // of HOST:PORT
	lines []string          // request lines that the proxy got
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ca, err := NewAuthority(nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	w := &world{ca: ca, addr: map[string]string{}}
	w.proxy = &url.URL{Scheme: "http", Host: ln.Addr().String(), User: url.UserPassword("ada", "pass")}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go w.pass(c)
		}
	}()
	return w
}

// serve has a server at name:443, or name:80 without TLS.
func (w *world) serve(name string, h http.Handler, conf *tls.Config) {
	if conf == nil {
		conf = &tls.Config{}
	}
	s := httptest.NewUnstartedServer(h)
	leaf, _ := w.ca.Leaf(name)
	conf.Certificates = []tls.Certificate{*leaf}
	s.TLS = conf
	s.Config.ErrorLog = quiet
	s.StartTLS()
	w.put(name+":443", s.Listener.Addr().String())
	plain := httptest.NewServer(h)
	w.put(name+":80", plain.Listener.Addr().String())
}

func (w *world) put(hostport, addr string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addr[hostport] = addr
}

// asked are the request lines that the world's proxy got.
func (w *world) asked() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}

// pass serves one connection to the world's proxy: tunnels, and whole URLs.
func (w *world) pass(c net.Conn) {
	defer c.Close()
	head, rest, err := readHead(c)
	if err != nil {
		return
	}
	line, _ := wire.CutLine(head)
	to := requestTarget(head)
	connect := strings.HasPrefix(string(line), "CONNECT")
	whole, _ := readTarget(to)
	if !connect {
		to = whole.origin
	}
	w.mu.Lock()
	w.lines = append(w.lines, string(line))
	addr := w.addr[to]
	w.mu.Unlock()
	if !strings.HasPrefix(wire.HeadValue(head, "Proxy-Authorization"), "Basic ") || addr == "" {
		fmt.Fprintf(c, "HTTP/1.1 502 %q\r\nContent-Length: 0\r\n\r\n", to)
		return
	}
	server, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer server.Close()
	if connect {
		_, _ = io.WriteString(c, established)
	} else {
		out, _ := whole.onward(head)
		_, _ = server.Write(out)
	}
	pass(&sniffed{inside{c}, rest}, server)
}

// dialer reaches the world.
func (w *world) dialer() *intercept.Dialer {
	d := &intercept.Dialer{Roots: x509.NewCertPool(), Plain: true}
	d.Roots.AddCert(w.ca.cert)
	d.Proxy = func(*url.URL) (*url.URL, error) { return w.proxy, nil }
	return d
}

// start runs a proxy to the world that opens hosts, and those that it learns.
func (w *world) start(t *testing.T, hosts ...string) *running {
	t.Helper()
	set, err := ParseHosts(hosts)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := NewOpenAuthority(set.Names())
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, &Proxy{Hosts: set, Authority: ca, Learn: &Learner{Hosts: set}}, w.dialer)
	r.roots.AddCert(w.ca.cert) // servers may be reached unread too
	return r
}

func get(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, _ := io.ReadAll(resp.Body)
	return string(all)
}

// A login across origins is seen whole when the MCP server alone is named; what
// has nothing to do with it is not.
func TestLearntHostsAreOpened(t *testing.T) {
	w := newWorld(t)
	answer := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	w.serve("mcp.test", answer(`{"authorization_servers":["https://auth.test","https://api.anthropic.com"]}`), nil)
	w.serve("auth.test", answer(`{"issuer":"https://auth.test","token_endpoint":"https://token.test/t"}`), nil)
	w.serve("token.test", answer("a token"), nil)
	w.serve("other.test", answer("prompts"), nil)
	w.serve("api.anthropic.com", answer("prompts"), nil)
	r := w.start(t, "mcp.test")
	c := r.client(t)
	get(t, c, "https://auth.test/early") // a tunnel: nobody has named it yet
	c.CloseIdleConnections()
	get(t, c, "https://mcp.test"+prm)
	get(t, c, "https://auth.test/.well-known/oauth-authorization-server")
	get(t, c, "https://token.test/t")
	get(t, c, "https://other.test/secret")
	get(t, c, "https://api.anthropic.com/secret")
	c.CloseIdleConnections()
	all := r.frames(t)
	for _, text := range []string{"GET " + prm, "GET /.well-known/oauth-authorization-server", "GET /t"} {
		if !has(all, wire.KindRequest, text) {
			t.Errorf("%q is not recorded", text)
		}
	}
	for _, f := range all {
		if strings.Contains(string(f.Data), "prompts") || strings.Contains(string(f.Data), "/secret") {
			t.Errorf("recorded: %s %q", f.Kind, f.Data)
		}
	}
	for _, text := range []string{"decrypted from now on: auth.test:443", "decrypted from now on: token.test:443", "not decrypted: api.anthropic.com:443"} {
		if !has(all, wire.KindNote, text) {
			t.Errorf("no note %q", text)
		}
	}
	seen := r.Seen()
	if seen.Why = nil; fmt.Sprint(seen) != "{[auth.test mcp.test token.test] [api.anthropic.com auth.test other.test] [] []}" {
		t.Error(seen)
	}
}

// Of a server that wants to see who its client is nothing is opened: only the
// client can show it.
func TestClientCertificatePasses(t *testing.T) {
	w := newWorld(t)
	who := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, len(r.TLS.PeerCertificates), " certificates")
	})
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, wants := range []tls.ClientAuthType{tls.RequireAnyClientCert, tls.RequestClientCert} {
			w.serve("mcp.test", who, &tls.Config{ClientAuth: wants, MaxVersion: version})
			r := w.start(t, "mcp.test")
			mine, err := w.ca.Leaf("me.test")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				c := r.client(t)
				c.Transport.(*http.Transport).TLSClientConfig.Certificates = []tls.Certificate{*mine}
				if got := get(t, c, "https://mcp.test/"); got != "2 certificates" {
					t.Errorf("%s", got)
				}
				c.CloseIdleConnections()
			}
			if all := r.frames(t); !has(all, wire.KindOpen, `"tunnel"`) || !has(all, wire.KindNote, "wants a certificate") {
				t.Errorf("recorded: %v", all)
			}
		}
	}
}

// upgrade is a server that switches to a protocol in which it sends back what it
// gets.
func upgrade(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "websocket" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
	_, _ = io.CopyN(c, rw, 9)
}

// frame is a WebSocket frame of a client, with a mask.
const frame = "\x81\x83\x01\x02\x03\x04ABC"

const upgradeFields = "Host: mcp.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"

// WebSockets pass, in TLS, in a tunnel to port 80, and by a whole URL through the
// user's own proxy.
func TestWebSocketsPass(t *testing.T) {
	w := newWorld(t)
	w.serve("mcp.test", http.HandlerFunc(upgrade), nil)
	r := w.start(t, "mcp.test")
	secure := tls.Client(r.tunnelTo(t, "mcp.test:443"), &tls.Config{RootCAs: r.roots, ServerName: "mcp.test", NextProtos: []string{"http/1.1"}})
	absolute, err := net.Dial("tcp", r.Listen.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer absolute.Close()
	for _, tc := range []struct {
		name, line string
		conn       net.Conn
	}{
		{"wss", "GET /ws HTTP/1.1\r\n", secure},
		{"ws, in a tunnel", "GET /ws HTTP/1.1\r\n", r.tunnelTo(t, "mcp.test:80")},
		{"ws, by a whole URL", "GET http://mcp.test/ws HTTP/1.1\r\nProxy-Authorization: Basic " + basic(r.url) + "\r\n", absolute},
	} {
		_, _ = io.WriteString(tc.conn, tc.line+upgradeFields+"\r\n")
		in := bufio.NewReader(tc.conn)
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != 101 {
			t.Errorf("%s: %v, %v", tc.name, resp, err)
			continue
		}
		_, _ = io.WriteString(tc.conn, frame)
		got := make([]byte, len(frame))
		if _, err := io.ReadFull(in, got); err != nil || string(got) != frame {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
		tc.conn.Close()
	}
	if asked := w.asked(); !strings.Contains(asked, "GET http://mcp.test/ws") || !strings.Contains(asked, "CONNECT mcp.test:80") {
		t.Errorf("the user's proxy got %s", asked)
	}
	n := 0
	for _, f := range r.frames(t) {
		if f.Kind == wire.KindRaw && string(f.Data) == frame {
			n++
		}
	}
	if n != 6 {
		t.Errorf("%d of 6 frames are recorded", n)
	}
}

// Plain http goes on to the user's own proxy as the client said it to ours, with
// the credentials for that one, and not at all to hosts of NO_PROXY.
func TestPlainThroughTheUsersProxy(t *testing.T) {
	var asked []string
	w := newWorld(t)
	w.serve("mcp.test", ping(&asked), nil)
	w.serve("other.test", ping(&asked), nil)
	r := w.start(t, "mcp.test")
	c := r.client(t)
	for _, host := range []string{"mcp.test", "other.test"} {
		if status, text := fetch(t, c, "http://"+host+"/x?y"); status != 200 || !strings.HasPrefix(text, "pong") {
			t.Errorf("%s: %d %q", host, status, text)
		}
	}
	if got := exchange(t, r.Listen.Addr().String(), "CONNECT mcp.test:80 HTTP/1.1\r\nProxy-Authorization: Basic "+basic(r.url)+
		"\r\n\r\nPOST /z HTTP/1.1\r\nHost: mcp.test\r\nContent-Length: 2\r\n\r\n{}", 2); !strings.HasSuffix(got, "pong {}") {
		t.Errorf("in a tunnel: %q", got)
	}
	if got, want := w.asked(), "POST http://mcp.test/x?y HTTP/1.1\nPOST http://other.test/x?y HTTP/1.1\nCONNECT mcp.test:80 HTTP/1.1"; got != want {
		t.Errorf("the user's proxy got %s", got)
	}
	for _, line := range asked {
		if strings.Contains(line, "Proxy") {
			t.Errorf("a server was asked %s", line)
		}
	}
	all := r.frames(t)
	if !has(all, wire.KindRequest, "POST /x?y") || !has(all, wire.KindRequest, "POST /z") {
		t.Errorf("recorded: %v", all)
	}
	for _, f := range all {
		if strings.Contains(string(f.Data), "YWRhOnBhc3M=") {
			t.Errorf("credentials of the user's proxy are recorded: %q", f.Data)
		}
	}
}

// quiet is for servers of which a client leaves on purpose.
var quiet = log.New(io.Discard, "", 0)
