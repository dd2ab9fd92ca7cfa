//go:build unix

package intercept

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"midwire/session/record"
	"midwire/session/wire"
)

// TestReloadEndsWhatTheServerLeft: a server that ends by itself, when it is asked to or
// because it fails, leaves no process behind that the next one would meet.
func TestReloadEndsWhatTheServerLeft(t *testing.T) {
	rec, in, lines, exit := reloading(t)
	left := func() int {
		for lines.Scan() {
			if _, id, ok := strings.Cut(lines.Text(), `"left":`); ok {
				pid, _ := strconv.Atoi(strings.TrimRight(id, "}"))
				return pid
			}
		}
		t.Fatal("the server says nothing")
		return 0
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	first := left()
	for !strings.Contains(lines.Text(), "serverInfo") && lines.Scan() {
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"crash"}`)
	for !strings.Contains(lines.Text(), "midwire starts it again") && lines.Scan() {
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	second := left()
	if bornAt(first) != "" {
		t.Errorf("process %d lives behind a server that crashed", first)
		_ = syscall.Kill(first, syscall.SIGKILL)
	}
	in.Close()
	go func() {
		for lines.Scan() {
		}
	}()
	if e := <-exit; e.Code != 0 {
		t.Errorf("exit %d", e.Code)
	}
	// The last one has ended as without us.
	if err := syscall.Kill(second, syscall.SIGKILL); err != nil {
		t.Errorf("the child of the last process is gone: %v", err)
	}
	var said strings.Builder
	for _, f := range ofKind(frames(t, rec.Path()), wire.KindEdit) {
		said.WriteString(string(f.Data))
	}
	if !strings.Contains(said.String(), "has left processes") {
		t.Error(said.String())
	}
}

// reloading is a tap with --reload in front of a server whose processes each leave a child.
func reloading(t *testing.T) (rec *record.Writer, in *os.File, lines *bufio.Scanner, exit chan Exit) {
	const server = `sleep 600 <&- >&- 2>&- &
echo "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"left\":$!}}"
while read line; do
case $line in
*initialize*) echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}" ;;
*crash*) exit 3 ;;
esac
done`
	rec, started := newRecording(t, "stdio")
	inR, in, _ := os.Pipe()
	out, outW, _ := os.Pipe()
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { errR.Close() })
	tap := Stdio{
		Command: []string{"/bin/sh", "-c", server}, Stdin: inR, Stdout: outW, Stderr: errW, Started: started,
		Record: func() *record.Writer { return rec }, Reload: &Reload{Watch: []string{t.TempDir() + "/none"}},
	}
	exit = make(chan Exit, 1)
	go func() {
		e, err := tap.Run()
		if err != nil {
			t.Error(err)
		}
		exit <- e
	}()
	return rec, in, bufio.NewScanner(out), exit
}
