package forward

import (
	"bytes"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestAuthorityVouchesForItsHostsOnly(t *testing.T) {
	for _, tc := range []struct {
		make        func([]string) (*Authority, error)
		hosts       []string
		good, wrong []string
	}{
		{NewAuthority, []string{"mcp.example.com"}, []string{"mcp.example.com"}, []string{"example.com", "127.0.0.1", "::1"}},
		{NewAuthority, []string{"127.0.0.1", "::1"}, []string{"127.0.0.1", "::1"}, []string{"127.0.0.2", "localhost"}},
		{NewAuthority, []string{"a.test", "10.0.0.1"}, []string{"a.test", "10.0.0.1"}, []string{"b.test", "10.0.0.2", "::1"}},
		{NewAuthority, nil, []string{"any.example", "10.0.0.1"}, nil},
		{
			NewOpenAuthority,
			[]string{"a.test"},
			[]string{"a.test", "auth.example"},
			[]string{"api.anthropic.com", "eu.api.openai.com", "10.0.0.1", "::1"},
		},
		{
			NewOpenAuthority,
			[]string{"api.githubcopilot.com", "10.0.0.1"},
			[]string{"api.githubcopilot.com", "github.com", "10.0.0.1"},
			[]string{"api.anthropic.com", "10.0.0.2", "127.0.0.1"},
		},
	} {
		ca, err := tc.make(tc.hosts)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tc.good {
			if err := verify(ca, name); err != nil {
				t.Errorf("%v: %s: %v", tc.hosts, name, err)
			}
			if _, err := ca.Leaf(name); err != nil {
				t.Errorf("%v: %s: %v", tc.hosts, name, err)
			}
		}
		for _, name := range tc.wrong {
			if verify(ca, name) == nil {
				t.Errorf("%v: clients believe it for %s", tc.hosts, name)
			}
			if _, err := ca.Leaf(name); err == nil {
				t.Errorf("%v: vouches for %s", tc.hosts, name)
			}
		}
	}
}

// verify is what a client that trusts the authority makes of its certificate for
// a name.
func verify(ca *Authority, name string) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.PEM())
	leaf, err := ca.issue(name)
	if err != nil {
		return err
	}
	c, err := x509.ParseCertificate(leaf.Certificate[0])
	if err != nil {
		return err
	}
	_, err = c.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
	return err
}

// After its time a run passes on unread, where clients would see an error.
func TestAuthorityIsOver(t *testing.T) {
	ca, err := newAuthority(-before/2, func(*x509.Certificate) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ca.Leaf("a.test"); !errors.Is(err, errOver) {
		t.Error(err)
	}
}

func TestNotBeyondThisMachine(t *testing.T) {
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip(err)
	}
	if err := (&Proxy{Listen: ln}).Run(t.Context()); err == nil {
		t.Error("it serves other machines")
	}
}

func TestHosts(t *testing.T) {
	h, err := ParseHosts([]string{"MCP.example.com", "b.test:8443", "https://c.test/mcp", "http://d.test", "[::1]:80", "10.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]bool{
		"mcp.example.com:443": true, "mcp.example.com.:80": true, "b.test:8443": true, "b.test:443": false, "c.test:443": true,
		"c.test:80": false, "d.test:80": true, "[::1]:80": true, "[::1]:81": false, "10.0.0.1:5": true, "example.com:443": false,
	} {
		if h.Has(in) != want {
			t.Errorf("%s: %v", in, !want)
		}
	}
	for _, bad := range []string{"", "a b", "*.test", "ftp://a", "https://", "x/y"} {
		if _, err := ParseHosts([]string{bad}); err == nil {
			t.Errorf("%q is a host", bad)
		}
	}
}

// Nothing of a run but a certificate is on a disk, and no key.
func TestKeyIsNotStored(t *testing.T) {
	ca, err := NewAuthority(nil)
	if err != nil || bytes.Contains(ca.PEM(), []byte("KEY")) || bytes.Count(ca.PEM(), []byte("BEGIN CERTIFICATE")) != 1 {
		t.Errorf("%s, %v", ca.PEM(), err)
	}
	r := start(t, nil, "a.test")
	r.stop()
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(r.path), "*"))
	for _, f := range files {
		if text, _ := os.ReadFile(f); bytes.Contains(text, []byte("PRIVATE")) {
			t.Errorf("%s holds a key", f)
		}
	}
}
