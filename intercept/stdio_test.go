package intercept

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
)

// runStdio runs a tap in front of this test binary as the given server, sends
// input, and returns everything the client would have seen.
func runStdio(t *testing.T, mode string, input []byte) (out, errs []byte, exit Exit, path string) {
	t.Helper()
	t.Setenv("MIDWIRE_TEST_SERVER", mode)
	rec, started := newRecording(t, "stdio")
	path = rec.Path()
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	tap := Stdio{Command: []string{os.Args[0]}, Stdin: inR, Stdout: outW, Stderr: errW, Record: func() *record.Writer { return rec }, Started: started}
	go func() { _, _ = inW.Write(input); inW.Close() }()
	outs, errsC := make(chan []byte), make(chan []byte)
	go func() { b, _ := io.ReadAll(outR); outs <- b }()
	go func() { b, _ := io.ReadAll(errR); errsC <- b }()
	exit, err := tap.Run()
	if err != nil {
		t.Fatal(err)
	}
	return <-outs, <-errsC, exit, path
}

// TestOwnWordsComeBeforeTheEnd: a server that ends at once does not take the
// warning about its recording with it.
func TestOwnWordsComeBeforeTheEnd(t *testing.T) {
	t.Setenv("MIDWIRE_TEST_SERVER", "cat")
	rec, started := newRecording(t, "stdio")
	in, _, _ := os.Pipe()
	in.Close() // no input
	outR, outW, _ := os.Pipe()
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _, _ = io.ReadAll(outR); close(ended) }()
	tap := Stdio{
		Command: []string{os.Args[0]}, Stdin: in, Stdout: outW, Stderr: errW, Started: started,
		Record: func() *record.Writer {
			<-ended // as a slow disk would have it
			_, _ = errW.WriteString("warning: a folder")
			return rec
		},
	}
	if _, err := tap.Run(); err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(errR); string(said) != "warning: a folder" {
		t.Errorf("stderr was %q", said)
	}
}

func TestStdioIsTransparent(t *testing.T) {
	all256 := make([]byte, 256)
	for i := range all256 {
		all256[i] = byte(i)
	}
	for name, in := range map[string]string{
		"messages":         "{\"jsonrpc\":\"2.0\",\"id\":1.0}\n{\"id\":9007199254740993}\r\n",
		"no last newline":  "{\"a\":1}\n{\"b\":2}",
		"blank lines":      "\n\r\n\n",
		"invalid UTF-8":    "{\"a\":\"\xff\xfe\"}\n",
		"every byte":       string(all256),
		"nothing":          "",
		"escape sequences": "\x1b[31mred\x1b]0;title\x07\n",
		"a long line":      "{\"a\":\"" + strings.Repeat("x", 3<<20) + "\"}\n{}\n",
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, exit, path := runStdio(t, "cat", []byte(in))
			if string(out) != in || len(errs) > 0 || exit.Code != 0 {
				t.Errorf("%d bytes of %d came back, stderr %q, exit %d", len(out), len(in), errs, exit.Code)
			}
			var up, down strings.Builder
			for _, f := range ofKind(frames(t, path), wire.KindLine) {
				b := &up
				if f.Dir == wire.ToClient {
					b = &down
				}
				b.Write(f.Data)
				b.WriteString(f.EOL)
			}
			if up.String() != in || down.String() != in {
				t.Errorf("%d and %d bytes of %d are in the recording", up.Len(), down.Len(), len(in))
			}
		})
	}
}

func TestServerDiesMidMessage(t *testing.T) {
	out, errs, exit, path := runStdio(t, "half", nil)
	if string(out) != "{\"whole\":1}\n{\"cut" || string(errs) != "last words" || exit.Code != 7 {
		t.Errorf("out %q, stderr %q, exit %d", out, errs, exit.Code)
	}
	var seen []string
	for _, f := range frames(t, path) {
		seen = append(seen, fmt.Sprintf("%s%c %s", f.Kind, max(f.Dir, ' '), f.Data))
	}
	for _, want := range []string{"line< {\"cut", "stderr< last words", "exit  {\"code\":7}"} {
		if !strings.Contains(strings.Join(seen, "\n"), want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(seen, "\n"))
		}
	}
}

// A burst is recorded whole, in order.
func TestBurstIsRecordedWhole(t *testing.T) {
	out, _, _, path := runStdio(t, "burst", nil)
	if n := strings.Count(string(out), "\n"); n != 300_000 {
		t.Fatalf("%d lines came through", n)
	}
	i := 0
	for n, f := range frames(t, path) {
		if f.N != uint64(n)+1 {
			t.Fatalf("frame %d has number %d", n+1, f.N)
		}
		if f.Kind == wire.KindGap {
			t.Fatalf("a gap: %s", f.Data)
		}
		if f.Kind == wire.KindLine {
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"i":%d}}`, i); string(f.Data) != want {
				t.Fatalf("frame %d is %s, want %s", f.N, f.Data, want)
			}
			i++
		}
	}
	if i != 300_000 {
		t.Fatalf("%d lines recorded", i)
	}
}

// TestClientThatDoesNotRead: midwire's own write has not returned, and the recording says so
// while it waits.
func TestClientThatDoesNotRead(t *testing.T) {
	stallAfter = 10 * time.Millisecond
	t.Cleanup(func() { stallAfter = 5 * time.Second })
	t.Setenv("MIDWIRE_TEST_SERVER", "chatty")
	rec, started := newRecording(t, "stdio")
	inR, in, _ := os.Pipe()
	out, outW, _ := os.Pipe()
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	tap := Stdio{
		Command: []string{os.Args[0]}, Stdin: inR, Stdout: outW, Stderr: errW,
		Record: func() *record.Writer { return rec }, Started: started,
	}
	go func() { // what reads nothing until midwire has said so
		defer in.Close()
		for began := time.Now(); time.Since(began) < 30*time.Second; runtime.Gosched() {
			for _, f := range ofKind(frames(t, rec.Path()), wire.KindNote) {
				if stall := wire.Get(f.Data, "stall"); wire.Text(wire.Get(stall, "of")) == "stderr" {
					go func() { _, _ = io.Copy(io.Discard, errR) }()
					return
				}
			}
		}
		t.Error("nothing is said")
		errR.Close()
	}()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if exit, err := tap.Run(); err != nil || exit.Code != 0 {
		t.Errorf("exit %d, %v", exit.Code, err)
	}
	for _, f := range ofKind(frames(t, rec.Path()), wire.KindNote) {
		stall := wire.Get(f.Data, "stall")
		n, _ := strconv.Atoi(string(wire.Get(stall, "bytes")))
		if wire.Text(wire.Get(stall, "by")) != wire.ByClient || runtime.GOOS == "linux" && n < 64<<10 {
			t.Errorf("recorded is %s", f.Data)
		}
	}
}

func TestServerThatCannotBeStarted(t *testing.T) {
	rec, started := newRecording(t, "stdio")
	path := rec.Path()
	tap := Stdio{Command: []string{"no-such-server-anywhere"}, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Record: func() *record.Writer { return rec }, Started: started}
	exit, err := tap.Run()
	if exit.Code != 127 || err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("exit %d, error %v", exit.Code, err)
	}
	starts := ofKind(frames(t, path), wire.KindStart)
	if len(starts) != 1 || !strings.Contains(string(starts[0].Data), "not found") {
		t.Errorf("the recording does not show it")
	}
}
