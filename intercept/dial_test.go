package intercept

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// connectProxy is a proxy that makes tunnels for whoever has the password.
func connectProxy(t *testing.T) (proxy *url.URL, asked chan string) {
	t.Helper()
	asked = make(chan string, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		if r.Header.Get("Proxy-Authorization") != "Basic YWRhOnBhc3M=" {
			http.Error(w, "who are you?", http.StatusProxyAuthRequired)
			return
		}
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			far.Close()
			return
		}
		fmt.Fprint(near, "HTTP/1.1 200 Tunnel\r\n\r\n")
		go func() { _, _ = io.Copy(far, near); far.Close() }()
		_, _ = io.Copy(near, far)
		near.Close()
	}))
	t.Cleanup(srv.Close)
	proxy, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return proxy, asked
}

// The way out to an https server leads through the user's proxy when there is
// one, and a proxy that refuses is named in what the client gets.
func TestServerBehindAProxy(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "through")
	}))
	t.Cleanup(srv.Close)
	u, _ := url.Parse(srv.URL)
	roots := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	proxy, asked := connectProxy(t)
	for user, want := range map[string]string{"ada:pass": "through", "eve:guess": "proxy " + proxy.Host} {
		name, pass, _ := strings.Cut(user, ":")
		via := *proxy
		via.User = url.UserPassword(name, pass)
		dial := &Dialer{Roots: roots, Proxy: func(*url.URL) (*url.URL, error) { return &via, nil }}
		tap := startHTTP(t, &HTTP{Target: u, KeepHost: true, Dial: dial})
		got := talk(t, tap.addr, post("/mcp", "{}", "Connection: close"))
		if !strings.Contains(got, want) {
			t.Errorf("as %s the client got %q", name, got)
		}
		if ask := <-asked; ask != "CONNECT "+u.Host {
			t.Errorf("the proxy was asked %q", ask)
		}
	}
}
