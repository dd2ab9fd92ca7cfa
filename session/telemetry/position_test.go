package telemetry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"midwire/session/record"
)

// TestPositionFile: it is its owner's alone, and what someone put in its place is not
// written to. Without it spans are sent all the same.
func TestPositionFile(t *testing.T) {
	c, dir := newCollector(t), private(t)
	p := newProxied(t, dir, record.Header{})
	p.handshake()
	p.Close()
	file := record.PositionFile(p.Path())
	send := func() {
		t.Helper()
		s := c.sender()
		if err := s.Send(t.Context(), nil, p.Path()); err != nil || s.Sent.Load() != 3 {
			t.Errorf("%v, taken %d", err, s.Sent.Load())
		}
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, file); err == nil {
		send()
		if data, _ := os.ReadFile(victim); string(data) != "mine" {
			t.Errorf("behind the link stands %q", data)
		}
		os.Remove(file)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	send()
	os.Remove(file)
	for _, damaged := range []string{"", "{", `{"midwire_sent":1,"endpoint":"x","frame":1e99}`, strings.Repeat("9", 10_000)} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		send()
		os.Remove(file)
	}
	send()
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != fs.FileMode(0o600) {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if data, _ := os.ReadFile(file); strings.Contains(string(data), "127.0.0.1") {
		t.Errorf("it names the collector: %s", data)
	}
	held, err := openPosition(p.Path(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer held.close()
	if err := c.sender().Send(t.Context(), nil, p.Path()); !errors.Is(err, errTaken) {
		t.Errorf("two send it at once: %v", err)
	}
}
