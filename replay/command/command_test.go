package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"midwire/fixtures/demo"
	"midwire/intercept"
	"midwire/session/record"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "demo-server" {
		c := demo.PeerCommand()
		c.SetArgs(os.Args[2:])
		if c.Execute() != nil {
			os.Exit(3)
		}
		return
	}
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0") // a second for each process, else
	os.Exit(m.Run())
}

type (
	usage struct{ error }
	exit  int
)

func (exit) Error() string { return "" }

// midwire runs a command as main would, and returns what it printed.
func midwire(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	root := &cobra.Command{Use: "midwire", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(Commands(Env{
		Given:    func(refs []string, use func([]string) error) error { return use(refs) },
		Complete: cobra.NoFileCompletions,
		Usage:    func(format string, a ...any) error { return usage{fmt.Errorf(format, a...)} },
		Exit:     func(status int) error { return exit(status) },
		Options:  func() (record.Options, error) { return record.Options{}, nil },
		Record: func(h record.Header, opt record.Options) *record.Writer {
			w, err := record.Create(dir, h, opt)
			if err != nil {
				t.Error(err)
				return record.Discard()
			}
			return w
		},
	})...)
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// demoOver records the demo's HTTP sessions, and returns the recording and the
// server's origin.
func demoOver(t *testing.T, dir string) (recording, origin string) {
	t.Helper()
	server, err := demo.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	opt := intercept.HTTPOptions{Listen: "127.0.0.1:0"}
	tap, err := opt.New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	tap.Started = time.Now()
	if tap.Record, err = record.Create(dir, record.Header{Started: tap.Started, Tap: "http", Listen: tap.Listen.Addr().String()}, record.Options{}); err != nil {
		t.Fatal(err)
	}
	recording = tap.Record.Path()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := tap.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	play := demo.Demo{Stdio: []string{os.Args[0], "demo-server"}, URL: tap.Origin()}
	if err := play.Run(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	wg.Wait()
	return recording, (&url.URL{Scheme: "http", Host: server.URL.Host}).String()
}

// Three sessions at once, of two revisions and at two endpoints, are replayed
// and compared; the replay is a recording that compares the same.
func TestReplayMockDiff(t *testing.T) {
	dir := t.TempDir()
	recording, origin := demoOver(t, dir)
	out, err := midwire(t, dir, "replay", recording, "--to", origin)
	if err == nil || !strings.Contains(err.Error(), "index_notes, summarize. --yes") {
		t.Fatalf("without leave: %v\n%s", err, out)
	}
	if out, err = midwire(t, dir, "replay", recording, "--to", origin, "--yes", "--slower", "0"); err != nil {
		t.Fatalf("replay: %v\n%s", err, out)
	}
	if !strings.Contains(out, " calls: ") || strings.Contains(out, "changed") {
		t.Errorf("it says: %s", out)
	}
	_, again, _ := strings.Cut(out, "compared with ")
	again = strings.TrimSpace(again)
	if filepath.Dir(again) != dir {
		t.Fatalf("its recording is %q", again)
	}
	if h, err := record.Open(again); err != nil || !strings.HasPrefix(h.Header().Label, "replay of ") {
		t.Errorf("label: %v", err)
	}
	if out, err = midwire(t, dir, "diff", recording, again, "--slower", "0"); err != nil {
		t.Errorf("diff: %v\n%s", err, out)
	}
	// Over stdio, where one of them is changed by hand.
	out, err = midwire(t, dir, "replay", recording, "--session", "1", "--yes", "--slower", "0", "--set", "params.arguments.query=incident", "--", os.Args[0], "demo-server")
	var status exit
	if !errors.As(err, &status) || status != 1 || !strings.Contains(out, "tools/call search_notes") {
		t.Errorf("a changed query: %v\n%s", err, out)
	}
	out, err = midwire(t, dir, "replay", recording, "--session", "1", "--yes", "--slower", "0", "--set", "params.arguments.query=incident",
		"--ignore", "tools/call:search_notes result", "--", os.Args[0], "demo-server")
	if err != nil {
		t.Errorf("ignored: %v\n%s", err, out)
	}
}

func TestPlanSendsNothing(t *testing.T) {
	dir := t.TempDir()
	recording, _ := demoOver(t, dir)
	before, _ := record.Names(dir)
	out, err := midwire(t, dir, "replay", recording, "--plan")
	after, _ := record.Names(dir)
	if err != nil || len(before) != len(after) || !strings.Contains(out, "tools/call search_notes") {
		t.Errorf("%v, %d recordings:\n%s", err, len(after), out)
	}
}

func TestWrongUsage(t *testing.T) {
	dir := t.TempDir()
	recording, _ := demoOver(t, dir)
	for _, args := range [][]string{
		{"replay", recording},
		{"replay", recording, "--to", "localhost:1"},
		{"replay", recording, "--to", "http://localhost:1", "--", "cat"},
		{"replay", recording, "--speed", "fast", "--", "cat"},
		{"replay", recording, "--learn", "1", "--", "cat"},
		{"replay", recording, "--yes", "--only-read", "--", "cat"},
		{"replay", recording, "--set", "nothing", "--", "cat"},
		{"replay", recording, "--header", "nothing", "--", "cat"},
		{"replay", recording, "--format", "yaml", "--", "cat"},
		{"replay", recording, "--ignore", "a..b", "--", "cat"},
		{"diff", recording, recording, "--session", "0"},
		{"mock", recording, "--timing", "late"},
		{"mock", recording, "--listen", "here"},
	} {
		if out, err := midwire(t, dir, args...); !errors.As(err, new(usage)) {
			t.Errorf("%q: %v\n%s", args[2:], err, out)
		}
	}
	if _, err := midwire(t, dir, "replay", filepath.Join(dir, "no.jsonl"), "--plan"); err == nil || errors.As(err, new(usage)) {
		t.Errorf("no such file: %v", err)
	}
	if _, err := midwire(t, dir, "diff", recording, recording, "--session", "99"); err == nil {
		t.Error("no such session, and no error")
	}
}
