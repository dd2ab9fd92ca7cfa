//go:build unix

package safefile

import (
	"fmt"
	"os"
	"path/filepath"
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

// Shared says who else may put files into a folder, remove them, or put another
// folder in its place; "" when only its owner and root may. Links are followed.
// A group that has the number of its user is that user's own.
func Shared(dir string) string {
	path, err := filepath.EvalSymlinks(dir)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return ""
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return ""
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		mode := info.Mode()
		sticky := at != path && mode&os.ModeSticky != 0 // others may not touch what is ours in it
		switch {
		case !ok:
			return ""
		case stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
			return fmt.Sprintf("%s belongs to another user", at)
		case mode&0o002 != 0 && !sticky:
			return fmt.Sprintf("everybody may write to %s", at)
		case mode&0o020 != 0 && !sticky && stat.Gid != stat.Uid:
			return fmt.Sprintf("its group may write to %s", at)
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
