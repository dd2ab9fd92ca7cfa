// Package spawn starts the process of a stdio server. Of a plain proxy it does so
// before the rest of the program is initialised (early.go), so it imports next to
// nothing: not os/exec.
package spawn

import "os"

// Start starts a process with pipes for its standard input and output, or what Like makes of
// the client's, whose other ends are the caller's. env is nil for our own environment. stderr
// stays the caller's.
func Start(
	path string, command []string, dir string, env []string, stdin, stdout, stderr *os.File,
) (p *os.Process, in, out *os.File, err error) {
	theirs := [3]*os.File{2: stderr}
	if theirs[0], in, err = Like(stdin); err == nil {
		out, theirs[1], err = Like(stdout)
	}
	if err == nil {
		// Not exec.Cmd: it would tidy up the environment.
		if env == nil {
			env = os.Environ()
		}
		p, err = os.StartProcess(path, command, &os.ProcAttr{Dir: dir, Env: env, Files: theirs[:], Sys: DiesWithUs()})
	}
	for _, f := range theirs[:2] {
		f.Close() // nil is no trouble
	}
	return p, in, out, err
}
