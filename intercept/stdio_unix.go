//go:build unix

package intercept

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ignored reports whether a signal is caught only so that it does not end us: the
// system sends these for what we do ourselves. A client that is gone, or a limit
// that we run into, is not the server's business.
func ignored(sig os.Signal) bool {
	return sig == syscall.SIGPIPE || sig == syscall.SIGXFSZ || sig == syscall.SIGXCPU
}

func asksToEnd(sig os.Signal) bool {
	return sig == syscall.SIGTERM || sig == syscall.SIGINT || sig == syscall.SIGHUP
}

// clientDied reports whether the client has ended: our parent has died, and no one
// can read what the server says. A parent that dies may also be a launcher, and
// a client that closes its ends may wait for a server that saves its work.
func (r *stdioRun) clientDied() bool {
	if os.Getppid() == r.parent {
		return false
	}
	if r.deaf.Load() {
		return true
	}
	p := []unix.PollFd{{Fd: int32(r.stdout.fd)}}
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0 && p[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// closeEnd closes a pipe for good. The three standard descriptors are put on
// the null device instead, so that no file opened later takes their number.
func closeEnd(f *os.File, fd uintptr) {
	if fd > 2 {
		f.Close()
		return
	}
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		_ = dup2(int(null.Fd()), int(fd))
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
	children := childrenOf()
	var all []int
	for next := children(pid); len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children(next[0])...)
	}
	return all
}

// brood is what descends from a process, for when that has ended: then its children have
// another parent.
type brood struct {
	mu   sync.Mutex
	last time.Time
	born map[int]string // by process id, which another process may get later
}

// note adds what there is now.
func (b *brood) note(pid int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.last) < noteEvery {
		return
	}
	b.last = time.Now()
	below := descendants(pid)
	now := map[int]string{}
	for id, born := range b.born {
		if bornAt(id) == born {
			now[id] = born
		}
	}
	for _, id := range below {
		if born := bornAt(id); born != "" {
			now[id] = born
		}
	}
	b.born = now
}

// sweep kills what is left of it.
func (b *brood) sweep() (killed int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, born := range b.born {
		if p, err := os.FindProcess(id); err == nil && bornAt(id) == born {
			KillTree(p)
			killed++
		}
	}
	b.born = nil
	return killed
}

// KillTree kills a process and all that descend from it.
func KillTree(p *os.Process) {
	tree := descendants(p.Pid)
	_ = p.Kill()
	for _, pid := range tree {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
