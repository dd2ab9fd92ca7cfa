package nats_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"midwire/intercept/hub/nats"
	"midwire/intercept/hub/registry"
	"midwire/intercept/hub/registry/registrytest"
)

// serve starts a real server on a port of its own, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30e9) {
		t.Fatal("the server does not come up")
	}
	return s.ClientURL()
}

func open(t *testing.T, address string) *nats.Store {
	t.Helper()
	s, err := nats.Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	address := serve(t)
	var buckets atomic.Int64
	registrytest.Store(t, func(t *testing.T) registry.Store {
		return open(t, fmt.Sprintf("%s/bucket-%d", address, buckets.Add(1)))
	})
}

// TestTwoStoresAreOne: what one hub writes the other reads, and one of two who
// write at a time learns that it was late.
func TestTwoStoresAreOne(t *testing.T) {
	address := serve(t)
	a, b := open(t, address), open(t, address)
	rev, err := a.Put(t.Context(), "k", []byte(`1`), 0)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := b.Get(t.Context(), "k"); err != nil || string(e.Value) != "1" || e.Revision != rev {
		t.Errorf("%+v %v", e, err)
	}
	won := 0
	for _, s := range []*nats.Store{a, b} {
		if _, err := s.Put(t.Context(), "k", []byte(`2`), rev); err == nil {
			won++
		} else if err != registry.ErrConflict {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d of two were first", won)
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"http://x":                  "begins with nats://",
		"nats://127.0.0.1:1":        "store: nats",
		"nats://x?replicas=many":    "a number",
		"nats://x/b?user=me":        `no parameter "user"`,
		"nats://x/?creds=%zz":       "parameters",
		"nats://127.0.0.1:1,[::1]:": "store:",
	} {
		if _, err := nats.Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
