//go:build unix

package safefile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const noWait = syscall.O_NONBLOCK

// IsOurs reports whether a file belongs to the user whom this process acts for.
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
// folder, or a link, in its place; "" when only its owner and root may. Links are
// followed. A group that has the number of its user is that user's own. Of a folder
// that is not there yet those in which it would be are looked at.
func Shared(dir string) (who string) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	at, rest := "/", strings.Split(path, "/")
	for links := 0; ; {
		for len(rest) > 0 && rest[0] == "" {
			rest = rest[1:]
		}
		info, err := os.Lstat(at)
		if err != nil {
			return who
		}
		if info.Mode()&os.ModeSymlink != 0 {
			to, err := os.Readlink(at)
			if links++; err != nil || links > maxLinks {
				return who
			}
			if isOthers(info) {
				who = at + " is a link of another user"
			}
			if at = filepath.Dir(at); filepath.IsAbs(to) {
				at = "/"
			}
			rest = append(strings.Split(filepath.Clean(to), "/"), rest...)
		} else if others := sharedBy(at, info, len(rest) == 0); others != "" {
			who = others
		}
		if len(rest) == 0 {
			return who
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

const maxLinks = 40 // as the kernel has it

// isOthers reports whether something belongs to another user. Who has the root of the
// file system could do all: in a sandbox that is a number for who is outside.
func isOthers(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 || int(stat.Uid) == os.Geteuid() {
		return false
	}
	top, err := os.Lstat("/")
	return err != nil || !sameOwner(top, info)
}

// sharedBy is Shared for one folder, the last on the way or one before.
func sharedBy(at string, info os.FileInfo, last bool) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode()
	sticky := !last && mode&os.ModeSticky != 0 // others may not touch what is ours in it
	switch {
	case !ok:
		return ""
	case isOthers(info):
		return at + " belongs to another user"
	case mode&0o002 != 0 && !sticky:
		return "everyone may write to " + at
	case mode&0o020 != 0 && !sticky && stat.Gid != stat.Uid:
		return "its group may write to " + at
	}
	return ""
}

// isReadable reports whether others than its owner can look into a folder.
func isReadable(info os.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
