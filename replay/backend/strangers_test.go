package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/replay"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/ui/replaying"
)

// What a recording that was not made here names is not run, not sent to, and
// not where anything runs; a target of the user's own is.
func TestStrangersRecordings(t *testing.T) {
	r, dir := testLibrary(t)
	r.env.Own = func(string) bool { return false }
	ran := filepath.Join(dir, "ran")
	touch := []string{"touch", ran}
	for name, h := range map[string]record.Header{
		"command": {Command: touch, Cwd: dir}, "long": {Command: append([]string{"echo", strings.Repeat("x", 9000), ";"}, touch...)},
	} {
		q := whole(recordedAs(t, dir, h))
		q.Tools = replaying.AllTools
		p, err := r.Plan(t.Context(), q)
		if err != nil || p.Target != "" || p.Dir != "" || !strings.Contains(p.Missing, "not made here") {
			t.Errorf("%s: %v %+v", name, err, p)
		}
		if _, err := r.Run(t.Context(), q, func(replay.Progress) {}); err == nil {
			t.Errorf("%s: it ran", name)
		}
		q.Target = replay.JoinWords([]string{os.Args[0], "serve"})
		if p, err = r.Plan(t.Context(), q); err != nil || p.Missing != "" || p.Dir != "" {
			t.Errorf("%s, with a target: %v %+v", name, err, p)
		}
	}
	s, err := transcript.Parse(secretive)
	if err != nil {
		t.Fatal(err)
	}
	w, err := record.Create(dir, record.Header{Tap: "http", Target: "http://127.0.0.1:1/mcp"}, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Frames {
		w.Append(f)
	}
	w.Close()
	if p, err := r.Plan(t.Context(), whole(w.ID())); err != nil || p.Target != "" || !strings.Contains(p.Missing, "not made here") {
		t.Errorf("over HTTP: %v %+v", err, p)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the recorded command ran")
	}
	// A command line of our own that nobody can look through is not offered.
	r.env.Own = func(string) bool { return true }
	q := whole(recordedAs(t, dir, record.Header{Command: append([]string{"echo", strings.Repeat("x", 9000), ";"}, touch...)}))
	if p, err := r.Plan(t.Context(), q); err != nil || p.Target != "" || !strings.Contains(p.Missing, "too long") {
		t.Errorf("a long command: %v %.200s", err, p.Missing)
	}
}

// shown fills in what the screen shows of a plan before it is carried out.
func shown(t *testing.T, r *Replayer, q replaying.Request) replaying.Request {
	t.Helper()
	p, err := r.Plan(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q.Target, q.Dir = p.Target, p.Dir
	return q
}
