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

const noteEvery = time.Second // another program is asked

// childrenOf returns what lists the children of a process.
func childrenOf() func(pid int) []int {
	all := processes()
	return func(pid int) []int { return all[pid] }
}

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

// bornAt is when a process was started, "" for none.
func bornAt(pid int) string {
	out, _ := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}

// unread is not known here.
func unread(*os.File) int64 { return 0 }

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
