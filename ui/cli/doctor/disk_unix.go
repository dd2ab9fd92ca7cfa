//go:build linux || darwin || freebsd

package doctor

import "golang.org/x/sys/unix"

// room is how much the user can still write on the disk of a folder, in bytes.
func room(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
