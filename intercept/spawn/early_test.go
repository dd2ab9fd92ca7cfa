//go:build unix

package spawn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain acts as midwire where a test has started this binary as one: the server runs
// since before main.
func TestMain(m *testing.M) {
	if command := Plain(os.Args[1:]); len(command) > 0 {
		os.Exit(act(Started(command)))
	}
	os.Exit(m.Run())
}

// act takes over behind what TAKE says: the first bytes to the server or the client, or
// the end of the server. It says on standard error what it was handed.
func act(e *Early) int {
	if e == nil {
		return 99
	}
	for of, name := range []string{"up", "down", "diag"} {
		for os.Getenv("TAKE") == name && !e.has(of) {
			<-time.After(time.Millisecond)
		}
	}
	if os.Getenv("TAKE") == "full" {
		for e.held() <= keepLimit {
			<-time.After(time.Millisecond)
		}
	}
	var order []string
	ends := make(chan int, 3)
	var follow [3]func(Rest)
	for of, end := range [][2]*os.File{{os.Stdin, e.In}, {e.Out, os.Stdout}, {e.Err, os.Stderr}} {
		follow[of] = func(r Rest) {
			_, _ = end[1].Write(r.Read)
			if r.ReadErr == nil && r.WriteErr == nil {
				_, _ = io.Copy(end[1], end[0])
			}
			if of == Up {
				end[1].Close()
			}
			ends <- of
		}
	}
	e.Take(func(of int, _ time.Time, data []byte) {
		order = append(order, fmt.Sprint(of, " ", string(data[:min(len(data), 9)])))
	}, func(int) {}, follow)
	for left := 2; left > 0; {
		if of := <-ends; of != Up {
			left--
		}
	}
	state, _ := e.Process.Wait()
	fmt.Fprint(os.Stderr, strings.Join(order, "|"))
	return state.ExitCode()
}

func (e *Early) has(of int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.kept, func(p piece) bool { return p.of == of })
}

func (e *Early) held() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.size
}

func run(t *testing.T, take string, in []byte, command ...string) (out, said []byte, code int) {
	t.Helper()
	c := exec.Command(os.Args[0], append([]string{"--label=x", "--"}, command...)...)
	c.Env = append(os.Environ(), "TAKE="+take)
	c.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out, stderr.Bytes(), c.ProcessState.ExitCode()
}

// Whenever it is taken over, a client gets what the server wrote, and who takes over gets
// the rest.
func TestTakenOver(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcde\n"), 1<<19)
	for _, take := range []string{"", "up", "down", "full"} {
		out, said, code := run(t, take, large, "cat")
		if !bytes.Equal(out, large) || code != 0 {
			t.Errorf("taken at %q: %d bytes of %d came back, exit %d: %.99s", take, len(out), len(large), code, said)
		}
	}
}

// What is handed over is in the order in which it came.
func TestOrder(t *testing.T) {
	out, said, code := run(t, "diag", []byte("ask\n"), "sh", "-c", `read q; echo "to $q"; sleep 0.05; echo last >&2; exit 3`)
	if string(out) != "to ask\n" || code != 3 {
		t.Errorf("%q, exit %d", out, code)
	}
	if want := "last\n0 ask\n|1 to ask\n|2 last\n"; string(said) != want {
		t.Errorf("said %q, not %q", said, want)
	}
}

func TestPlain(t *testing.T) {
	for line, want := range map[string]string{
		"-- a b":                     "a b",
		"--label=x --flow=y -- a --": "a --",
		"--":                         "",
		"":                           "",
		"run a":                      "",
		"--label x -- a":             "",
		"--fault drop -- a":          "",
		"ls -- a":                    "",
	} {
		if got := strings.Join(Plain(strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

// find finds what exec.LookPath does, or nothing.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"runs": 0o755, "data": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for _, path := range []string{"", dir, "/nowhere:" + dir, dir + ":/bin", ".:" + dir, dir + "/"} {
		t.Setenv("PATH", path)
		for _, name := range []string{"runs", "data", "none", "sh", "", dir, dir + "/runs", dir + "/data", dir + "/none", "./runs"} {
			got := find(name, path)
			want, err := exec.LookPath(name)
			if got != "" && (err != nil || filepath.Clean(got) != want) {
				t.Errorf("%q in %q: %q, not %q, %v", name, path, got, want, err)
			}
			if got != "" {
				found++
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d", found)
	}
}

// TestSocketsOfTheClient: where the client gave sockets, the server gets sockets.
func TestSocketsOfTheClient(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("pipes everywhere else")
	}
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	stdin, ours := os.NewFile(uintptr(fds[0]), "in"), os.NewFile(uintptr(fds[1]), "ours")
	defer stdin.Close()
	ours.Close()
	c := exec.Command(os.Args[0], "--", "readlink", "/proc/self/fd/0", "/proc/self/fd/1")
	c.Stdin = stdin
	out, err := c.Output()
	if err != nil || !strings.HasPrefix(string(out), "socket:") || !strings.Contains(string(out), "\npipe:") {
		t.Errorf("%q, %v", out, err)
	}
}
