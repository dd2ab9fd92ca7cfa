package forward

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"midwire/session/wire"
)

// A browser that the client starts has the proxy without its password. It gets
// through, unread, and meets the server's own certificate.
func TestBrowserOfTheClient(t *testing.T) {
	var asked []string
	s := httptest.NewTLSServer(ping(&asked))
	defer s.Close()
	r := start(t, s, "127.0.0.1")
	for agent, through := range map[string]bool{"Mozilla/5.0 (X11; Linux)": true, "curl/8": false} {
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		transport := &http.Transport{
			Proxy:              http.ProxyURL(&url.URL{Scheme: "http", Host: r.url.Host}),
			ProxyConnectHeader: http.Header{"User-Agent": {agent}},
			TLSClientConfig:    &tls.Config{RootCAs: roots},
		}
		resp, err := (&http.Client{Transport: transport}).Get("https://127.0.0.1:" + port(s) + "/login")
		if err == nil {
			resp.Body.Close()
		}
		transport.CloseIdleConnections()
		if (err == nil) != through {
			t.Errorf("%s: %v", agent, err)
		}
	}
	all := r.frames(t)
	if len(asked) != 1 || !has(all, wire.KindOpen, `"proto":"tunnel"`) || !has(all, wire.KindNote, "browser") || has(all, wire.KindRequest, "login") {
		t.Errorf("the server was asked %q; recorded: %v", asked, all)
	}
}
