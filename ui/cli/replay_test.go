package cli

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/classics"
	"midwire/fixtures/demo"
	"midwire/intercept"
	"midwire/session/record"
)

// overHTTP are the taps of a play that record what is over HTTP alone.
type overHTTP struct{ *intercept.Fleet }

func (overHTTP) Stdio(_ string, command []string) []string { return command }

// demoOver records the demo's HTTP sessions, and returns the recording and the
// origin of a server like that.
func demoOver(t *testing.T, w *world) (recording, origin string) {
	t.Helper()
	dir := w.recordings()
	server, err := demo.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	taps := overHTTP{&intercept.Fleet{
		Ctx: t.Context(), Options: intercept.HTTPOptions{Listen: "127.0.0.1:0"},
		Record: func(h record.Header) *record.Writer {
			w, err := record.Create(dir, h, record.Options{})
			if err != nil {
				t.Error(err)
				return record.Discard()
			}
			recording = w.Path()
			return w
		},
	}}
	var told []string
	play := classics.Play{Taps: taps, Self: []string{os.Args[0]}, Say: func(line string) { told = append(told, line) }}
	if err := errors.Join(classics.Demo().Run(t.Context(), play), taps.Close()); err != nil {
		t.Fatal(err)
	}
	if len(told) != 6 || !strings.HasPrefix(told[0], "1 of 6: ") || !strings.HasPrefix(told[5], "6 of 6: ") {
		t.Errorf("the demo tells %q", told)
	}
	return recording, (&url.URL{Scheme: "http", Host: server.URL.Host}).String()
}

// Three sessions at once, of two revisions and at two endpoints, are replayed
// and compared; the replay is a recording that compares the same.
func TestReplayMockDiff(t *testing.T) {
	w := newWorld(t)
	recording, origin := demoOver(t, w)
	status, out, stderr := w.midwire(t, "replay", recording, "--to", origin)
	if status != 3 || !strings.Contains(stderr, "index_notes, summarize. --yes") {
		t.Fatalf("without leave: %d\n%s%s", status, out, stderr)
	}
	if status, out, stderr = w.midwire(t, "replay", recording, "--to", origin, "--yes", "--slower", "0"); status != 0 {
		t.Fatalf("replay: %d\n%s%s", status, out, stderr)
	}
	if !strings.Contains(out, " calls: ") || strings.Contains(out, "changed") {
		t.Errorf("it says: %s", out)
	}
	_, again, _ := strings.Cut(out, "compared with ")
	again = strings.TrimSpace(again)
	if filepath.Dir(again) != w.recordings() {
		t.Fatalf("its recording is %q", again)
	}
	if h, err := record.Open(again); err != nil || !strings.HasPrefix(h.Header().Label, "replay of ") {
		t.Errorf("label: %v", err)
	}
	if status, out, stderr = w.midwire(t, "diff", recording, again, "--slower", "0"); status != 0 {
		t.Errorf("diff: %d\n%s%s", status, out, stderr)
	}
	// Over stdio, where one of them is changed by hand.
	line := []string{
		"replay", recording, "--session", "1", "--yes", "--slower", "0",
		"--set", "params.arguments.query=incident", "--", os.Args[0], "demo-server",
	}
	status, out, stderr = w.midwire(t, line...)
	if status != 1 || !strings.Contains(out, "tools/call search_notes") {
		t.Errorf("a changed query: %d\n%s%s", status, out, stderr)
	}
	line = slices.Insert(line, 2, "--ignore", "tools/call:search_notes result")
	if status, out, stderr = w.midwire(t, line...); status != 0 {
		t.Errorf("ignored: %d\n%s%s", status, out, stderr)
	}
}

func TestPlanSendsNothing(t *testing.T) {
	w := newWorld(t)
	recording, _ := demoOver(t, w)
	before, _ := record.Names(w.recordings())
	status, out, stderr := w.midwire(t, "replay", recording, "--plan")
	after, _ := record.Names(w.recordings())
	if status != 0 || len(before) != len(after) ||
		!strings.Contains(out, "tools/call search_notes") || !strings.Contains(out, "paths, for --to without one: /") {
		t.Errorf("%d, %d recordings:\n%s%s", status, len(after), out, stderr)
	}
}
