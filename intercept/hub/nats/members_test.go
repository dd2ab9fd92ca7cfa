package nats_test

import (
	"testing"
	"time"

	"midwire/intercept/hub/nats"
)

// until waits for something that other goroutines bring about.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	for !is() {
		select {
		case <-end:
			t.Fatal(what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestMembersKnowEachOther: who joins is seen by those who are there and sees
// them; who leaves is gone at once.
func TestMembersKnowEachOther(t *testing.T) {
	address := serve(t)
	stores := []*nats.Store{open(t, address), open(t, address)}
	a, err := stores[0].Join(t.Context(), "a", "http://a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := stores[1].Join(t.Context(), "b", "http://b")
	if err != nil {
		t.Fatal(err)
	}
	if b.URL("a") != "http://a" || a.Secret() != b.Secret() || a.Secret() == "" {
		t.Errorf("a is at %q, secrets %q %q", b.URL("a"), a.Secret(), b.Secret())
	}
	until(t, "a does not see b", func() bool { return a.URL("b") == "http://b" })
	a.Leave()
	until(t, "a has left and is there", func() bool { return b.URL("a") == "" })
	if all, err := stores[1].List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("not only sessions: %v %v", all, err)
	}
}

// TestSilence: a hub that ends without a word is gone after a while; one whose
// connection is gone hears nobody, and takes nobody for gone.
func TestSilence(t *testing.T) {
	address := serve(t)
	quiet, there := open(t, address), open(t, address)
	a, err := quiet.Join(t.Context(), "quiet", "http://quiet")
	if err != nil {
		t.Fatal(err)
	}
	b, err := there.Join(t.Context(), "there", "http://there")
	if err != nil {
		t.Fatal(err)
	}
	until(t, "quiet does not see the other", func() bool { return a.URL("there") != "" })
	quiet.Close()
	until(t, "it says nothing and is there", func() bool { return b.URL("quiet") == "" })
	if a.URL("there") == "" {
		t.Error("who hears nobody takes somebody for gone")
	}
}
