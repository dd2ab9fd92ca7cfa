package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// IsTaken locks a file until it is closed, or says that another process has.
func IsTaken(f *os.File) bool {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
