package intercept

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"unsafe"
)

func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }

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
