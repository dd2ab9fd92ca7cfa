//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package record

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lock marks the file as being written. The operating system removes the mark
// with the process, however it ends. Where the file system knows no locks the
// recording looks like one that no proxy writes, which does no harm. It is false when
// another has locked the file.
func lock(f *os.File) bool {
	// Someone may be asking IsLive at this very moment.
	for range 20 {
		if err := flock(f, syscall.LOCK_EX); !errors.Is(err, syscall.EWOULDBLOCK) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// isLocked reports whether another open file holds the lock.
func isLocked(f *os.File) bool {
	err := flock(f, syscall.LOCK_SH)
	return errors.Is(err, syscall.EWOULDBLOCK)
}

func flock(f *os.File, how int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	err = raw.Control(func(fd uintptr) { lockErr = syscall.Flock(int(fd), how|syscall.LOCK_NB) })
	if err != nil {
		return err
	}
	return lockErr
}

// isRemoved reports whether the open file has no name any longer.
func isRemoved(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}
