//go:build unix

package intercept

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"midwire/intercept/spawn"
)

// The lookout tells a signal that it was sent from one that it was not, also
// one that it dies of; without it every signal counts as ours alone.
func TestLookout(t *testing.T) {
	caught := make(chan os.Signal, 64)
	all, rare := spawn.Forwarded()
	all = append(all, rare...)
	signal.Notify(caught, all...)
	defer signal.Stop(caught)
	g := watchGroup(all)
	defer g.close()
	if g.shell == nil {
		t.Fatal("there is none")
	}
	for round := range 20 {
		for _, s := range all {
			if g.got(s) {
				t.Fatalf("round %d: %v was sent to us alone", round, s)
			}
			if err := g.shell.Signal(s); err != nil {
				t.Fatal(err)
			}
			if !g.got(s) {
				t.Fatalf("round %d: %v was sent to the group", round, s)
			}
			if g.got(s) {
				t.Fatalf("round %d: %v was sent once", round, s)
			}
		}
	}
	// Several at once, and some of them before the traps are set.
	for range 50 {
		some := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR2}
		early := &groupWatch{signals: all, seen: map[string][]time.Time{}}
		if err := early.start(); err != nil {
			t.Fatal(err)
		}
		_ = early.shell.Signal(some[0])
		if !early.got(some[0]) {
			t.Fatal("a signal that came early was not seen")
		}
		for _, s := range some {
			_ = early.shell.Signal(s)
		}
		for _, s := range some {
			if !early.got(s) {
				t.Fatalf("%v was not seen among others", s)
			}
		}
		early.close()
	}
	_, _ = g.close()
	if g.got(syscall.SIGTERM) {
		t.Error("nobody looks, and a signal was seen")
	}
}
