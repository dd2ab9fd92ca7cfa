//go:build unix

package trial

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"midwire/replay/checks"
	"midwire/replay/resilience"
)

// The same server is at the same place in each visit; that the client came and went
// is said; what the person saw decides.
func TestPersonUsesTheClient(t *testing.T) {
	gone := resilience.Fault{Name: "expire-session", Rules: []string{"expire-session"}}
	o := options(t, "")
	how := map[int]string{0: "tells", 1: "tells", 2: "renews", 3: "silent", 4: "silent", 5: "tells"}
	saw := map[int]checks.Outcome{1: checks.Told}
	at, config := "", ""
	o.Person = func(_ context.Context, v Visit) (checks.Outcome, error) {
		if at == "" {
			at, config = v.URL, v.Config
		}
		if v.URL != at || v.Config != config || v.Of != 6 {
			t.Errorf("visit %d of %d: the server is at %s, and was at %s", v.Nth, v.Of, v.URL, at)
		}
		if v.Nth == 6 {
			return 0, ErrStop
		}
		c := exec.Command(os.Args[0], v.URL)
		c.Env = append(os.Environ(), "RESILIENCE_CLIENT="+how[v.Nth])
		_ = c.Run() // it exits with an error when a call failed
		for n := range v.News {
			if n.Gone {
				break
			}
			if n.Client != how[v.Nth]+" 1" {
				t.Errorf("visit %d: %q came", v.Nth, n.Client)
			}
		}
		if v.Nth == 4 {
			return 0, ErrSkip
		}
		return saw[v.Nth], nil
	}
	r, err := Play(context.Background(), o, []resilience.Fault{gone, gone, gone, gone, {Name: "none"}, gone})
	if err != nil {
		t.Fatal(err)
	}
	want := []checks.Outcome{
		checks.Told, checks.Recovered, checks.Wrong, checks.NotApplicable, checks.NotApplicable, checks.NotApplicable,
	}
	for i, v := range want {
		if r.Checks[i].Outcome != v {
			t.Errorf("visit %d: %s: %s; want %s", i+1, r.Checks[i].Outcome, r.Checks[i].Text, v)
		}
	}
	for i, why := range map[int]string{3: "it was skipped", 5: "it was not played"} {
		if r.Checks[i].Text != why {
			t.Errorf("visit %d: %s", i+1, r.Checks[i].Text)
		}
	}
}
