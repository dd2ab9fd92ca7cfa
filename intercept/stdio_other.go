//go:build unix && !linux

package intercept

import (
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func dup2(from, to int) error { return syscall.Dup2(from, to) }

// processes lists the children of every process.
func processes() map[int][]int {
	out, _ := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			id, _ := strconv.Atoi(f[0])
			parent, _ := strconv.Atoi(f[1])
			children[parent] = append(children[parent], id)
		}
	}
	return children
}

// DieOf ends this process by the signal that ended the server, so that the
// client sees the same wait status as without us. It returns when that cannot
// be done: the runtime keeps some signals to itself.
func DieOf(sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	if !ok || s == syscall.SIGSEGV || s == syscall.SIGABRT || s == syscall.SIGBUS ||
		s == syscall.SIGILL || s == syscall.SIGFPE {
		return
	}
	signal.Reset(sig)
	_ = syscall.Kill(os.Getpid(), s)
	time.Sleep(100 * time.Millisecond)
}
