// Package registrytest has the test that every store of the hub passes.
package registrytest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"midwire/intercept/hub/registry"
)

// Store tests a store that is empty. open makes one for a test.
func Store(t *testing.T, open func(*testing.T) registry.Store) {
	ctx := context.Background()
	t.Run("revisions", func(t *testing.T) {
		s := open(t)
		defer s.Close()
		if _, err := s.Get(ctx, "a"); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%v", err)
		}
		one, err := s.Put(ctx, "a", []byte(`{"v":1}`), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, "a", []byte(`{"v":2}`), 0); !errors.Is(err, registry.ErrConflict) {
			t.Errorf("%v", err)
		}
		two, err := s.Put(ctx, "a", []byte(`{"v":3}`), one)
		if err != nil || two <= one {
			t.Errorf("%d after %d, %v", two, one, err)
		}
		if e, err := s.Get(ctx, "a"); err != nil || string(e.Value) != `{"v":3}` || e.Revision != two || e.Key != "a" {
			t.Errorf("%+v %v", e, err)
		}
	})
	t.Run("delete and list", func(t *testing.T) {
		s := open(t)
		defer s.Close()
		for _, k := range []string{"a", "b"} {
			if _, err := s.Put(ctx, k, []byte(`1`), 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.Delete(ctx, "a"), s.Delete(ctx, "a"), s.Delete(ctx, "none")); err != nil {
			t.Error(err)
		}
		if all, err := s.List(ctx); err != nil || len(all) != 1 || all[0].Key != "b" {
			t.Errorf("%v %v", all, err)
		}
		if _, err := s.Put(ctx, "a", []byte(`2`), 0); err != nil {
			t.Errorf("a deleted key cannot be written again: %v", err)
		}
	})
	t.Run("watch", func(t *testing.T) { watch(t, open(t)) })
}

func watch(t *testing.T, s registry.Store) {
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	seen := make(chan registry.Entry, 64)
	var over sync.WaitGroup
	over.Go(func() {
		if err := s.Watch(ctx, func(e registry.Entry) { seen <- e }); err != nil {
			t.Errorf("watch: %v", err)
		}
	})
	defer over.Wait()
	defer cancel()
	// The watch begins at some time: a key is written until it is seen.
	rev := uint64(0)
	for begun := false; !begun; {
		now, err := s.Put(ctx, "begin", []byte(`0`), rev)
		if err != nil {
			t.Fatal(err)
		}
		rev = now
		select {
		case <-seen:
			begun = true
		default:
		}
	}
	next := func() registry.Entry {
		for {
			if e := <-seen; e.Key == "k" {
				return e
			}
		}
	}
	if _, err := s.Put(ctx, "k", []byte(`1`), 0); err != nil {
		t.Fatal(err)
	}
	put := next() // before it is gone: a watch may leave out what was overtaken
	if err := s.Delete(ctx, "k"); err != nil {
		t.Fatal(err)
	}
	deleted := next()
	if string(put.Value) != "1" || len(deleted.Value) != 0 || deleted.Revision <= put.Revision {
		t.Errorf("%+v %+v", put, deleted)
	}
}
