package cli

import (
	"context"
	"maps"
	"testing"
	"time"

	"midwire/session/library/summary"
	"midwire/session/record"
	"midwire/session/wire"
)

func recordOne(t *testing.T, dir, id string) *record.Writer {
	t.Helper()
	w, err := record.Create(dir, record.Header{ID: id, Tap: "stdio", Started: time.Now().Add(-time.Hour)}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	w.Append(&wire.Frame{
		Kind: wire.KindLine, Dir: wire.ToServer, X: 1, EOL: "\n",
		Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
	})
	w.Flush()
	return w
}

// TestSourceSummarises: a screen gets the summaries of what has ended, and that
// of a live recording once it ends.
func TestSourceSummarises(t *testing.T) {
	dir := t.TempDir()
	recordOne(t, dir, "old").Close()
	live := recordOne(t, dir, "live")
	watch, err := record.NewWatch(dir, time.Time{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	ctx, stop := context.WithCancel(t.Context())
	s := newSource(ctx, watch, true)
	got := map[string]*summary.Recording{}
	next := func(want string) {
		t.Helper()
		for got[want] == nil {
			b, err := s.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(got, b.Summaries)
		}
	}
	next("old")
	if got["live"] != nil {
		t.Error("a live recording has a summary")
	}
	live.Close()
	next("live")
	for id, one := range got {
		if one.Total != 1 || one.Sessions[0].Messages != 1 || summary.Size(watch.Path(id)) == 0 {
			t.Errorf("%s: %+v", id, one)
		}
	}
	stop()
	s.Wait()
}

// TestSourceOfFiles: files that were named get no summary beside them.
func TestSourceOfFiles(t *testing.T) {
	w := recordOne(t, t.TempDir(), "old")
	w.Close()
	watch, err := record.NewWatch("", time.Time{}, []string{w.Path()})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	s := newSource(t.Context(), watch, false)
	if b, err := s.Next(t.Context()); err != nil || len(b.Recordings) != 1 {
		t.Errorf("%v, %v", b.Recordings, err)
	}
	s.Wait()
	if summary.Size(w.Path()) > 0 {
		t.Error("there is a summary beside the file")
	}
}

// TestSourceSearches: a text is found in any case, with the method of its message, in ended and in
// live recordings; of the words around it none is lost.
func TestSourceSearches(t *testing.T) {
	dir := t.TempDir()
	recordOne(t, dir, "old").Close()
	recordOne(t, dir, "live")
	watch, err := record.NewWatch(dir, time.Time{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	s := newSource(t.Context(), watch, false)
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"old", "live"} {
		hits, err := s.Search(t.Context(), id, "PING", 5)
		if err != nil || len(hits) != 1 {
			t.Fatalf("%s: %v, %v", id, hits, err)
		}
		h := hits[0]
		if h.N != 1 || h.Name != "ping" || h.Before+h.Text+h.After != `{"jsonrpc":"2.0","id":1,"method":"ping"}` {
			t.Errorf("%s: %+v", id, h)
		}
		if hits, err := s.Search(t.Context(), id, "no such.*", 5); err != nil || len(hits) != 0 {
			t.Errorf("%s: %v, %v", id, hits, err)
		}
	}
}
