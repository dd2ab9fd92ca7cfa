//go:build unix

package intercept

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"midwire/session/record"
)

// modeVar says what the test binary plays, aliveVar where it connects to for as
// long as it lives.
const (
	modeVar  = "MIDWIRE_TEST_SERVER"
	aliveVar = "MIDWIRE_TEST_ALIVE"
)

// playOrphans plays a server that heeds nothing, the tap in front of it, and
// the client of both.
func playOrphans(mode string) {
	as := func(mode string) []string {
		return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return v[:min(len(v), len(modeVar))] == modeVar }), modeVar+"="+mode)
	}
	switch mode {
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		c, err := net.Dial("tcp", os.Getenv(aliveVar))
		if err != nil {
			os.Exit(9)
		}
		_, _ = c.Read(make([]byte, 1)) // for ever
	case "tap of a stubborn server":
		tap := Stdio{
			Command: os.Args[:1], Env: as("stubborn"), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Record: record.Discard, Started: time.Now(), Orphan: time.Millisecond,
		}
		_, _ = tap.Run()
	case "client of a stubborn server":
		cmd := exec.Command(os.Args[0])
		cmd.Env = as("tap of a stubborn server")
		_, _ = cmd.StdinPipe()
		_, _ = cmd.StdoutPipe()
		_ = cmd.Start()
		_ = cmd.Wait()
	}
}

// A server that nobody is left for is ended: its client has died, which has
// ended its input, and it lives on.
func TestOrphanIsEnded(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client := exec.Command(os.Args[0])
	client.Env = append(os.Environ(), modeVar+"=client of a stubborn server", aliveVar+"="+ln.Addr().String())
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = client.Process.Kill()
	_ = client.Wait()
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second)) // against a hang
	if _, err := c.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the server is left over: %v", err)
	}
}

// A client that has closed its ends and lives may wait for the server.
func TestClosedEndsAreNoDeath(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	run := &stdioRun{parent: os.Getppid(), stdout: newEnd(w)}
	r.Close()
	if run.clientDied() {
		t.Error("our parent lives, and counts as dead")
	}
	if run.parent = -1; !run.clientDied() {
		t.Error("nobody reads, our parent has died, and the client counts as alive")
	}
	r, w, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if run.stdout = newEnd(w); run.clientDied() {
		t.Error("somebody reads, and the client counts as dead")
	}
}

// Stop ends a server that heeds nothing, and Run has closed all ends when it
// returns, though it reads from some.
func TestStopEndsAStubbornServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var ends [6]*os.File
	for i := 0; i < 6; i += 2 {
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	rec, started := newRecording(t, "stdio")
	tap := Stdio{
		Command: os.Args[:1], Env: append(os.Environ(), modeVar+"=stubborn", aliveVar+"="+ln.Addr().String()),
		Stdin: ends[0], Stdout: ends[3], Stderr: ends[5], Started: started, Stop: stop,
		Record: func() *record.Writer { return rec },
	}
	go func() {
		c, err := ln.Accept()
		if err == nil {
			defer c.Close()
			close(stop)
			_, _ = c.Read(make([]byte, 1))
		}
	}()
	exit, err := tap.Run()
	if err != nil || exit.Signal != syscall.SIGKILL {
		t.Errorf("exit %+v, %v", exit, err)
	}
	for _, f := range []*os.File{tap.Stdin, tap.Stdout, tap.Stderr} {
		if err := f.Close(); err == nil {
			t.Error("an end was left open")
		}
	}
	for _, f := range []*os.File{ends[1], ends[2], ends[4]} {
		f.Close()
	}
}
