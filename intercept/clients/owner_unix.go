//go:build unix

package clients

import (
	"os"
	"syscall"
)

func links(info os.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink)
}

// keepGroup gives a new file the group of the one it replaces.
func keepGroup(path string, before os.FileInfo) error {
	now, err := os.Stat(path)
	if err != nil {
		return err
	}
	was, ok := before.Sys().(*syscall.Stat_t)
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || was.Gid == is.Gid {
		return nil
	}
	return os.Chown(path, -1, int(was.Gid))
}
