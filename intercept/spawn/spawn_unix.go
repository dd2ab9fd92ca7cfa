//go:build unix

package spawn

import (
	"os"
	"syscall"
)

// find is exec.LookPath for the usual cases; "" for the others.
func find(name, dirs string) string {
	const mayRun = 1
	runs := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && syscall.Access(path, mayRun) == nil
	}
	for i := range len(name) {
		if name[i] == '/' {
			if !runs(name) {
				return ""
			}
			return name
		}
	}
	for from, to := 0, 0; to <= len(dirs); to++ {
		if to < len(dirs) && dirs[to] != ':' {
			continue
		}
		dir := dirs[from:to]
		from = to + 1
		if dir == "" || dir[0] != '/' {
			return "" // it depends on where we are
		}
		if path := dir + "/" + name; runs(path) {
			return path
		}
	}
	return ""
}

// Pipe makes a pipe whose ends block in the system call: a thread that
// waits in read is woken by the kernel directly, which is faster than by way
// of the poller. Both ends are closed on exec.
func Pipe() (r, w *os.File, err error) {
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

// Urgent lists the signals that would end us, or that clients send.
func Urgent() []os.Signal {
	return []os.Signal{syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT}
}

// firstRealTime is the first signal without its own meaning.
const firstRealTime = 32

// Forwarded lists the signals that are passed on: all that one process can send
// another, with few exceptions. What stops and continues a process stops and
// continues us, and with us the conversation. Catching each costs some time.
func Forwarded() (usual, rare []os.Signal) {
	for n := syscall.Signal(1); n < lastSignal; n++ {
		switch n {
		case syscall.SIGKILL, syscall.SIGSTOP: // no one gets them
		case syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGTTIN, syscall.SIGTTOU:
		case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPROF: // meant for us, or the Go runtime
		default:
			if n < firstRealTime {
				usual = append(usual, n)
			} else {
				rare = append(rare, n)
			}
		}
	}
	return usual, rare
}
