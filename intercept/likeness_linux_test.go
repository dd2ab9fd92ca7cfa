package intercept

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"midwire/session/record"
)

// TestSameKindOfDescriptors: what a server can do with its standard files it can behind
// midwire, and nothing else: a socket cannot be opened by its name, and a pipe is none.
func TestSameKindOfDescriptors(t *testing.T) {
	const server = `for n in 0 1 2; do readlink /proc/self/fd/$n; done; head -c 3 /dev/stdin 2>/dev/null || echo cannot`
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return r, w
	}
	pair := func() (r, w *os.File) {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	}
	// kinds is what the server says of its files: without their numbers.
	kinds := func(made [3]func() (r, w *os.File), run func(in, out, errs *os.File)) string {
		inR, in := made[0]()
		out, outW := made[1]()
		errR, errW := made[2]()
		defer errR.Close()
		fmt.Fprint(in, "abc")
		in.Close()
		said := make(chan string)
		go func() { b, _ := io.ReadAll(out); said <- string(b) }()
		run(inR, outW, errW)
		for _, f := range []*os.File{inR, outW, errW} {
			f.Close()
		}
		var kinds []string
		for word := range strings.FieldsSeq(<-said) {
			kind, _, _ := strings.Cut(word, ":")
			kinds = append(kinds, kind)
		}
		return strings.Join(kinds, " ")
	}
	for want, made := range map[string][3]func() (r, w *os.File){
		"socket socket socket cannot": {pair, pair, pair}, // Node, Bun
		"pipe pipe pipe abc":          {pipe, pipe, pipe}, // Python, Go
		"socket pipe pipe cannot":     {pair, pipe, pipe},
		"pipe socket pipe abc":        {pipe, pair, pipe},
	} {
		direct := kinds(made, func(in, out, errs *os.File) {
			c := exec.Command("/bin/sh", "-c", server)
			c.Stdin, c.Stdout, c.Stderr = in, out, errs
			if err := c.Run(); err != nil {
				t.Error(err)
			}
		})
		behind := kinds(made, func(in, out, errs *os.File) {
			rec, started := newRecording(t, "stdio")
			tap := Stdio{
				Command: []string{"/bin/sh", "-c", server}, Stdin: in, Stdout: out, Stderr: errs, Started: started,
				Record: func() *record.Writer { return rec },
			}
			if _, err := tap.Run(); err != nil {
				t.Error(err)
			}
		})
		if direct != want || behind != want {
			t.Errorf("directly %q, behind midwire %q; not %q", direct, behind, want)
		}
	}
}
