package clients

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// isTaken locks a file until it is closed, or says that another process has.
func isTaken(f *os.File) bool {
	var at windows.Overlapped
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
