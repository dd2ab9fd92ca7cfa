//go:build unix

package trial

import (
	"context"
	"strings"
	"testing"
	"time"

	"midwire/replay/checks"
	"midwire/replay/resilience"
)

// offered makes some offers to a client of the tests.
func offered(t *testing.T, how string, names ...string) map[string]*checks.Check {
	t.Helper()
	o := options(t, how)
	o.URL, o.Offers, o.Fail = nil, true, checks.Hung
	var some []resilience.Fault
	for _, f := range resilience.Offers(100 * time.Millisecond) {
		for _, name := range names {
			if f.Name == name {
				some = append(some, f)
			}
		}
	}
	r, err := Play(context.Background(), o, some)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*checks.Check{}
	for _, c := range r.Checks {
		all[c.Name] = c
	}
	return all
}

// TestOffers: a client is at fault at what it does not take, and at nothing else.
func TestOffers(t *testing.T) {
	all := offered(t, "picky", "event-stream", "session-id", "empty-content", "pages", "elicitation", "slow-call", "ping")
	for name, want := range map[string]checks.Verdict{
		"event-stream": checks.Failed, "session-id": checks.Passed, "empty-content": checks.Passed, "slow-call": checks.Noted,
		"pages": checks.Skipped, "elicitation": checks.Skipped, "ping": checks.Failed,
	} {
		if c := all[name]; c.Verdict != want || want != checks.Skipped && len(c.Evidence) == 0 {
			t.Errorf("%s: %s, want %s: %+v", name, c.Verdict, want, c)
		}
	}
	for name, want := range map[string]string{
		"pages": "did not come so far", "elicitation": "does not declare elicitation", "event-stream": "did not come",
	} {
		if !strings.Contains(all[name].Text, want) {
			t.Errorf("%s: %q has no %q", name, all[name].Text, want)
		}
	}
	if c := offered(t, "silent", "ping")["ping"]; c.Verdict != checks.Failed || !strings.Contains(c.Text, "ping") {
		t.Errorf("a client that ignores a ping: %+v", c)
	}
}
