// Package unmap gives back memory that only the start of midwire needs.
package unmap

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// Program removes from the memory of the process what it has mapped of its own program:
// most of that only the start needed, and each process would keep it. What is used again
// comes back from the system's cache of files, some pages at a time. Nothing else is
// touched, nor what was written, as by a debugger. Call it once, after the start.
func Program() {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	program, _ := os.Readlink("/proc/self/exe")
	var start, size uintptr // of the mapping that lines are about, 0 for one to leave alone
	for line := range bytes.Lines(maps) {
		name, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		switch value := bytes.TrimSpace(rest); {
		case !bytes.HasSuffix(name, []byte(":")):
			start, size = mapping(name, rest, program)
		case string(name) == "Anonymous:" && start != 0 && string(value) == "0 kB":
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, size, syscall.MADV_DONTNEED)
		}
	}
}

// mapping reads the first line of a mapping: "start-end rights offset device inode file".
func mapping(span, rest []byte, program string) (start, size uintptr) {
	first, last, ok := bytes.Cut(span, []byte{'-'})
	f := bytes.SplitN(rest, []byte{' '}, 5)
	if !ok || len(f) != 5 || f[0][1] == 'w' || string(bytes.TrimSpace(f[4])) != program {
		return 0, 0
	}
	from, err := strconv.ParseUint(string(first), 16, strconv.IntSize)
	to, err2 := strconv.ParseUint(string(last), 16, strconv.IntSize)
	if err != nil || err2 != nil || to <= from {
		return 0, 0
	}
	return uintptr(from), uintptr(to - from)
}
