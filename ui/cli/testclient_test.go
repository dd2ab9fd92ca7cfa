package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"midwire/replay/checks"
	"midwire/replay/resilience"
	"midwire/replay/resilience/trial"
)

// What a program pipes in is taken line by line, each when the client has gone.
func TestPersonIsAsked(t *testing.T) {
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	if _, err := typed.WriteString("\nt\nwhat?\nh\ns\nq\n"); err != nil {
		t.Fatal(err)
	}
	typed.Close()
	p := (&app{Env: Env{In: in, Err: said}}).newPerson(time.Minute)
	for nth, want := range []struct {
		saw checks.Outcome
		err error
	}{{}, {saw: checks.Told}, {saw: checks.Hung}, {err: trial.ErrSkip}, {err: trial.ErrStop}} {
		news := make(chan trial.News)
		go func() {
			news <- trial.News{Client: "someone\x1b[2J 1"}
			news <- trial.News{Client: "someone 1", Gone: true}
		}()
		saw, err := p.see(context.Background(), trial.Visit{
			Fault: resilience.Fault{Name: "never", Help: "a response never comes"}, Nth: nth, Of: 4, URL: "http://it/mcp", Config: "/tmp/mcp.json", News: news,
		})
		if saw != want.saw || !errors.Is(err, want.err) {
			t.Errorf("visit %d: %s, %v", nth, saw, err)
		}
	}
	if _, err := p.see(context.Background(), trial.Visit{Nth: 1, News: goneAtOnce()}); err == nil || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("without more input: %v", err)
	}
	raw, _ := os.ReadFile(said.Name())
	for _, part := range []string{"The server is at http://it/mcp", "\n\n[0/4]", "\n\n[3/4] never: a response never comes", "someone 1 is gone", "return: all was well"} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("no %q in\n%s", part, raw)
		}
	}
	if strings.ContainsAny(string(raw), "\x1b␊") {
		t.Error("what the client calls itself is not safe for a terminal")
	}
}

func goneAtOnce() <-chan trial.News {
	news := make(chan trial.News, 1)
	news <- trial.News{Gone: true}
	return news
}
