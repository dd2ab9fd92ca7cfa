package hub_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/intercept/hub"
	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/record"
)

// hubProcess is a hub in a process of its own, to be killed. Its folder is the
// first argument.
func hubProcess() {
	dir := os.Args[1]
	j, err := registry.OpenJournal(filepath.Join(dir, "hub.jsonl"))
	if err != nil {
		panic(err)
	}
	config, err := plan.Parse([]byte(`{"servers":{` + raw("one", "") + `}}`))
	if err != nil {
		panic(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", ln.Addr())
	h := &hub.Hub{
		Config: config, Listen: ln, Store: j, Lookup: func(string) (string, bool) { return "", false },
		Environ: os.Environ(), Dir: dir, Log: slog.New(slog.DiscardHandler), OnTrouble: func(error) {},
		Record: func(h record.Header) *record.Writer {
			w, err := record.Create(filepath.Join(dir, "recordings"), h, record.Options{})
			if err != nil {
				panic(err)
			}
			return w
		},
	}
	if err := h.Run(context.Background()); err != nil {
		panic(err)
	}
}

// TestH15KillNine: a hub that is killed leaves no process behind, and another one
// goes on with its sessions; what was recorded is readable.
func TestH15KillNine(t *testing.T) {
	dir := t.TempDir()
	begin := func() (*exec.Cmd, *client) {
		self, _ := os.Executable()
		cmd := exec.Command(self, dir)
		cmd.Env = append(os.Environ(), peerVariable+"=hub")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		url, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return cmd, (&running{t: t, url: strings.TrimSpace(url)}).client("/mcp")
	}
	first, c := begin()
	c.initialize()
	pid := pidOf(t, c.call("one_where", "{}"))
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	for end := time.Now().Add(time.Minute); alive(pid); {
		if time.Now().After(end) {
			t.Fatalf("process %d is left over", pid)
		}
	}
	_, again := begin()
	again.header = c.header
	want(t, again.call("one_give", `{"after":"kill"}`), `"after":"kill"`)
	files, err := record.Names(filepath.Join(dir, "recordings"))
	if err != nil || len(files) != 4 {
		t.Errorf("%d recordings, %v", len(files), err)
	}
}
