package record

import (
	"errors"
	"math"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// lock marks the file as being written. Windows removes the mark with the
// process, however it ends. It is false when another has locked the file.
func lock(f *os.File) bool {
	// Someone may be asking IsLive at this very moment.
	for range 20 {
		if err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK); !errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// isLocked reports whether another open file holds the lock.
func isLocked(f *os.File) bool {
	return errors.Is(lockFile(f, 0), windows.ERROR_LOCK_VIOLATION)
}

// lockFile locks a byte that no recording reaches, until f is closed: Windows
// keeps others from reading what is locked.
func lockFile(f *os.File, how uint32) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	err = raw.Control(func(fd uintptr) {
		at := windows.Overlapped{OffsetHigh: math.MaxInt32}
		lockErr = windows.LockFileEx(windows.Handle(fd), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	})
	return errors.Join(err, lockErr)
}

// isRemoved reports whether the open file has no name any longer. Windows does not
// remove a file that is open.
func isRemoved(*os.File) bool { return false }
