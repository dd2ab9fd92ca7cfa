package spawn

import (
	"os"
	"syscall"
)

// ServerDiesWithUs reports whether the server is killed when we are.
const ServerDiesWithUs = true

const lastSignal = 65

// DiesWithUs has the server killed when we are, more exactly the thread that started
// it: a client that kills what it launched means the server.
func DiesWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// Like makes what a server gets in place of a stream of ours: a pair of sockets where that is
// a socket, as Node and Bun give, else a pipe. What a program can do with the one it may not
// with the other, as opening /dev/stdin by its name. Data goes from w to r.
func Like(f *os.File) (r, w *os.File, err error) {
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeSocket == 0 {
		return Pipe()
	}
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}
