//go:build unix

package gate

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// refusing makes a socket that refuses, and returns what to do that it does not.
func refusing(t *testing.T, path string) (serve func()) {
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	ln.Close()
	return func() {
		if ln, err = net.Listen("unix", path+".new"); err == nil {
			t.Cleanup(func() { ln.Close() })
			_ = os.Rename(path+".new", path) // at no moment is there none
		}
	}
}

// TestSocketOfALivingGate: one that refuses stays as long as its process is there, and
// is asked again; one whose process has ended is removed.
func TestSocketOfALivingGate(t *testing.T) {
	dir, err := os.MkdirTemp("", "gate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, fmt.Sprintf("%d-ab.sock", os.Getpid()))
	serve := refusing(t, path)
	time.AfterFunc(100*time.Millisecond, serve)
	c, err := dialSocket(context.Background(), path)
	if err != nil {
		t.Fatalf("a gate that is busy for a moment is not reached: %v", err)
	}
	c.Close()

	path = filepath.Join(dir, fmt.Sprintf("%d-cd.sock", os.Getpid()))
	refusing(t, path)
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	if _, err := dialSocket(ctx, path); err == nil {
		t.Error("a socket that refuses was reached")
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("the socket of a process that runs was removed")
	}

	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip(err)
	}
	path = filepath.Join(dir, fmt.Sprintf("%d-ef.sock", ended.Process.Pid))
	refusing(t, path)
	if _, err := dialSocket(context.Background(), path); err == nil {
		t.Error("a socket that nobody serves was reached")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a socket was left whose process has ended")
	}
}
