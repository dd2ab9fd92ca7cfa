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
	path := filepath.Join(dir, fmt.Sprintf("%d-00000000ab.sock", os.Getpid()))
	serve := refusing(t, path)
	time.AfterFunc(100*time.Millisecond, serve)
	c, err := dialSocket(context.Background(), path)
	if err != nil {
		t.Fatalf("a gate that is busy for a moment is not reached: %v", err)
	}
	c.Close()

	path = filepath.Join(dir, fmt.Sprintf("%d-00000000cd.sock", os.Getpid()))
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
	path = filepath.Join(dir, fmt.Sprintf("%d-00000000ef.sock", ended.Process.Pid))
	refusing(t, path)
	if _, err := dialSocket(context.Background(), path); err == nil {
		t.Error("a socket that nobody serves was reached")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a socket was left whose process has ended")
	}
}

// TestAddressesOfStrangers: an address that midwire does not make leads nowhere, and nothing is
// removed, read or asked on its word.
func TestAddressesOfStrangers(t *testing.T) {
	home, err := os.MkdirTemp("", "gate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip(err)
	}
	gone, dir, other := ended.Process.Pid, filepath.Join(home, "gate"), filepath.Join(home, "other")
	for _, d := range []string{dir, other} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	heard := make(chan string, 64)
	listens := func(path string) { listening(t, path, heard) }
	name := func(dir, end string) string { return filepath.Join(dir, fmt.Sprintf("%d-%s", gone, end)) }
	listens(name(other, "0123456789.sock"))
	listens(filepath.Join(other, "agent"))
	refusing(t, name(other, "00000000aa.sock"))
	refusing(t, filepath.Join(dir, "1x-00000000aa.sock"))
	text := filepath.Join(home, fmt.Sprintf("%d-notes.jsonl", gone))
	secret := name(other, "0123456789.json")
	for _, path := range []string{text, name(dir, "00000000bb.sock")} { // a file in our own folder too
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(name(other, "00000000aa.sock"), name(dir, "00000000cc.sock")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte(`{"address":"127.0.0.1:1","secret":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := files(t, home)
	for _, address := range []string{
		"", "unix:", "file:/dev/zero", "tcp:127.0.0.1:80", "unix:" + text, "unix:" + filepath.Join(other, "agent"),
		"unix:" + name(other, "0123456789.sock"), "unix:" + name(other, "00000000aa.sock"), "file:" + secret,
		"unix:" + filepath.Join(dir, "1x-00000000aa.sock"), "unix:" + name(dir, "00000000bb.sock"),
		"unix:" + name(dir, "00000000cc.sock"), "unix:" + name(dir, "0123456789.sock") + "/../../other/agent",
	} {
		if c, err := Reach(dir, address); err == nil {
			if _, err = c.State(t.Context()); err == nil {
				t.Errorf("%s: it was asked", address)
			}
		}
	}
	if after := files(t, home); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if len(heard) > 0 {
		t.Errorf("%s was connected to", <-heard)
	}
	if err := os.Chmod(dir, 0o777); err != nil { // where another user could put a socket
		t.Fatal(err)
	}
	listens(name(dir, "00000000dd.sock"))
	if c, err := Reach(dir, "unix:"+name(dir, "00000000dd.sock")); err == nil {
		if _, err = c.State(t.Context()); err == nil || len(heard) > 0 {
			t.Errorf("a socket in a folder of all was asked: %v", err)
		}
	}
}

// listening makes a socket that notes who connects to it.
func listening(t *testing.T, path string, heard chan<- string) {
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			heard <- path
			c.Close()
		}
	}()
}

func files(t *testing.T, dir string) (all string) {
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		all += path + " " + e.Type().String() + "\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
