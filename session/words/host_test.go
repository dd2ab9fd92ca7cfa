package words

import "testing"

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		host     string
		loopback bool
	}{
		{"localhost:3000", true},
		{"app.LOCALHOST", true},
		{"127.0.0.1:80", true},
		{"[::1]:8080", true},
		{"auth:8080", false},
		{"10.0.0.7", false},
		{"10.example.com", false},
		{"172.20.1.1:443", false},
		{"172.200.1.1", false},
		{"svc.cluster.local", false},
		{"mcp.example.com", false},
	} {
		if IsLoopback(c.host) != c.loopback {
			t.Errorf("%s: loopback %v", c.host, IsLoopback(c.host))
		}
	}
	for _, c := range []struct {
		host, name, address string
		is                  bool
	}{
		{"", "", "", false},
		{"mcp.example.com", "mcp.example.com:443", "", true},
		{"localhost:3000", "", "127.0.0.1:3000", true},
		{"localhost:3001", "", "127.0.0.1:3000", false},
		{"10.0.0.7:80", "", "10.0.0.7:80", true},
		{"mcp.example.com", "", "10.0.0.7:443", false},
	} {
		if got := IsUpstream(c.host, c.name, c.address); got != c.is {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func FuzzHosts(f *testing.F) {
	for _, s := range []string{"localhost:1", "[::1", "::", "a:b:c", "İ.example", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		IsLoopback(s)
		IsUpstream(s, s, s)
		ParseURL(s)
	})
}
