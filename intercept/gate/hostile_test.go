package gate

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/wire"
)

// What one controller can have a gate keep has bounds: rules, leases, and what it is
// told of what is held.
func TestControllersAreBounded(t *testing.T) {
	c := newControlled(t, "stdio")
	if status, text := c.call("PUT", "/arm", strings.Repeat("tool:x => drop\n", maxRules+1)); status != 400 || !strings.Contains(text, "disarm some first") {
		t.Errorf("too many rules: %d %.200s", status, text)
	}
	status, text := 0, ""
	for range maxLeases {
		if _, err := c.g.Lease(); err != nil {
			t.Fatal(err)
		}
	}
	status, text = c.call("GET", "/events", "")
	if status != http.StatusTooManyRequests || !strings.Contains(text, "hold leases here") {
		t.Errorf("too many leases: %d %.200s", status, text)
	}
	c.g.Disarm("*")
	c.call("PUT", "/arm", "dir:c2s => delay 1h")
	large := `{"jsonrpc":"2.0","id":1,"method":"x","params":"` + strings.Repeat("x", 200<<10) + `"}` + "\n"
	for range 100 {
		c.feed(up, large, 1<<20)
	}
	if _, text := c.call("GET", "/state", ""); len(text) > 2*listedInAll || strings.Count(text, `"age_ms":`) != 100 {
		t.Errorf("the list has %d bytes and %d messages", len(text), strings.Count(text, `"age_ms":`))
	}
	if v, err := c.g.Show(c.g.Snapshot().Held[99].ID); err != nil || len(v.Payload) != len(large)-1 {
		t.Errorf("%d bytes, %v", len(v.Payload), err)
	}
	if err := c.g.Obey(Order{Do: "release-all"}); err != nil {
		t.Error(err)
	}
}

// Controllers that connect and say nothing, or half of something, are few at a time;
// with them gone the next one is served.
func TestSilentControllers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	s := NewSocket(dir)
	if !strings.HasPrefix(s.Address, unixAddress) {
		t.Skip("no sockets of that kind")
	}
	g := New("http")
	g.Bind(func(wire.Gate) {})
	served := make(chan error, 1)
	go func() { served <- s.Serve(g) }()
	at, err := Reach(dir, s.Address)
	if err != nil {
		t.Fatal(err)
	}
	ask := func() (string, error) {
		resp, err := at.http.Get(at.base + "/state")
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
	for _, err = ask(); err != nil; _, err = ask() {
		select {
		case err := <-served:
			t.Fatal(err)
		default:
		}
	}
	at.http.CloseIdleConnections()
	var silent []net.Conn
	for range 3 * maxControllers {
		c, err := net.Dial("unix", s.path)
		if err != nil {
			break // its backlog is full
		}
		_, _ = io.WriteString(c, "PUT /arm HTTP/1.1\r\nHost: gate\r\nContent-Length: 1000000\r\n\r\ntool:")
		silent = append(silent, c)
	}
	for _, c := range silent {
		c.Close()
	}
	if text, err := ask(); err != nil || !strings.Contains(text, `"armed":[]`) {
		t.Errorf("%q, %v", text, err)
	}
	s.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
