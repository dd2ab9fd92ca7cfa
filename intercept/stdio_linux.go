package intercept

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }

const noteEvery = 0 // it is cheap

// childrenOf returns what lists the children of a process.
func childrenOf() func(pid int) []int {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil { // the kernel may be built without
		all := processes()
		return func(pid int) []int { return all[pid] }
	}
	return func(pid int) (all []int) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, name := range threads {
			list, _ := os.ReadFile(name)
			for id := range strings.FieldsSeq(string(list)) {
				child, _ := strconv.Atoi(id)
				all = append(all, child)
			}
		}
		return all
	}
}

// processes lists the children of every process.
func processes() map[int][]int {
	children := map[int][]int{}
	dirs, _ := os.ReadDir("/proc")
	for _, d := range dirs {
		id, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		i := bytes.LastIndexByte(stat, ')')
		if err != nil || i < 0 {
			continue
		}
		if f := bytes.Fields(stat[i+1:]); len(f) > 1 {
			parent, _ := strconv.Atoi(string(f[1]))
			children[parent] = append(children[parent], id)
		}
	}
	return children
}

// bornAt is when a process that runs was started, "" for none.
func bornAt(pid int) string {
	const state, started = 0, 19 // of the fields behind the name, see proc_pid_stat(5)
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) <= started || f[state][0] == 'Z' {
		return ""
	}
	return string(f[started])
}

// unread is how many bytes wait in a pipe or socket.
func unread(f *os.File) (n int64) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			if waiting, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err == nil {
				n = int64(waiting)
			}
		})
	}
	return n
}

// DieOf ends this process by the signal that ended the server, so that the
// client sees the same wait status as without us. It returns only when that
// cannot be done.
func DieOf(sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return
	}
	signal.Reset(sig)
	// One core file is enough, and it is the server's.
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	// The runtime handles some signals even after Reset: take its handler away.
	// All zero is SIG_DFL without flags.
	var act [64]byte
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&act)), 0, 8, 0, 0)
	_ = syscall.Kill(os.Getpid(), s)
	select {} // the signal is on its way
}
