//go:build unix

package files

import (
	"os"
	"syscall"
)

const noWait = syscall.O_NONBLOCK

// IsOurs says whether a file belongs to the user whom this process acts for.
func IsOurs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

func sameOwner(a, b os.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && one.Uid == other.Uid
}
