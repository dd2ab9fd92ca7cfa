package gate

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// attached is a controller of a gate with a socket of its own.
func attached(t *testing.T) (*Gate, *Controller) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mw") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := New("http")
	s := NewSocket(filepath.Join(dir, "gate"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(g) }()
	t.Cleanup(func() { s.Close(); <-served })
	for late := time.Now().Add(10 * time.Second); ; {
		path := strings.TrimPrefix(s.Address, "unix:")
		if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) && time.Now().Before(late) {
			runtime.Gosched() // whoever comes before it listens removes it
			continue
		}
		c, err := attach(filepath.Join(dir, "gate"), s.Address)
		if err == nil {
			t.Cleanup(c.Close)
			return g, c
		}
		if time.Now().After(late) {
			t.Fatal(err)
		}
	}
}

func attach(dir, address string) (*Controller, error) {
	c, err := Reach(dir, address)
	if err != nil {
		return nil, err
	}
	return c.Attach(context.Background())
}

// until takes states in until one is as wanted.
func until(t *testing.T, c *Controller, ok func(Snapshot) bool) {
	t.Helper()
	for range 100 {
		s, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		if ok(s) {
			return
		}
	}
	t.Fatal("it does not come to that")
}

// TestScreenControls: what it arms is under its lease, refusals come with their
// reason, and it is over with its end.
func TestScreenControls(t *testing.T) {
	g, c := attached(t)
	if err := c.Do(Order{Do: "arm", Body: "tool:a => hold"}); err != nil {
		t.Fatal(err)
	}
	until(t, c, func(s Snapshot) bool { return len(s.Armed) == 1 && s.Armed[0].Owner == c.Lease() })
	for _, o := range []Order{{Do: "arm", Body: "lat>5s => hold"}, {Do: "release", ID: 99}, {Do: "inject", Body: "{}", Session: "x"}} {
		if err := c.Do(o); err == nil || !strings.HasPrefix(err.Error(), o.Do+": ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := c.Show(99); err == nil {
		t.Error("what is not held can be shown")
	}
	if err := c.Do(Order{Do: "disarm"}); err != nil {
		t.Fatal(err)
	}
	until(t, c, func(s Snapshot) bool { return len(s.Armed) == 0 })
	if err := c.Do(Order{Do: "arm", Body: "tool:b => hold"}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	for {
		if _, err := c.Next(); err != nil {
			break
		}
	}
	for late := time.Now().Add(10 * time.Second); len(g.Snapshot().Armed) > 0; {
		if time.Now().After(late) {
			t.Fatalf("%+v", g.Snapshot())
		}
	}
}
