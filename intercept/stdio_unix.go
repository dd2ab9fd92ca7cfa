//go:build unix

package intercept

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// newPipe makes a pipe whose ends block in the system call: a thread that
// waits in read is woken by the kernel directly, which is faster than by way
// of the poller. Both ends are closed on exec.
func newPipe() (r, w *os.File, err error) {
	var fds [2]int
	syscall.ForkLock.RLock()
	err = syscall.Pipe(fds[:])
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}

// forwarded lists the signals a client or a terminal may send. SIGPIPE is
// among them only so that it does not end us: a client that is gone is the
// server's business.
func forwarded() []os.Signal {
	return []os.Signal{
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE,
	}
}

func ignored(sig os.Signal) bool { return sig == syscall.SIGPIPE }

func asksToEnd(sig os.Signal) bool {
	return sig == syscall.SIGTERM || sig == syscall.SIGINT || sig == syscall.SIGHUP
}

// closeEnd closes a pipe for good. The three standard descriptors are put on
// the null device instead, so that no file opened later takes their number.
func closeEnd(f *os.File) {
	fd := int(f.Fd())
	if fd > 2 {
		f.Close()
		return
	}
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		_ = dup2(int(null.Fd()), fd)
		null.Close()
	}
}

func exitOf(state *os.ProcessState, err error) Exit {
	if err != nil {
		return Exit{Code: 1}
	}
	ws := state.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return Exit{Code: 128 + int(ws.Signal()), Signal: ws.Signal()}
	}
	return Exit{Code: ws.ExitStatus()}
}

func signalName(sig os.Signal) string { return unix.SignalName(sig.(syscall.Signal)) }

// descendants lists the processes below pid, parents first.
func descendants(pid int) []int {
	children := processes()
	var all []int
	for next := children[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all
}

// killTree kills a process and all that descend from it.
func killTree(p *os.Process) {
	tree := descendants(p.Pid)
	_ = p.Kill()
	for _, pid := range tree {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
