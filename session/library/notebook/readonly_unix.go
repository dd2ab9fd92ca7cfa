//go:build unix

package notebook

import (
	"errors"
	"syscall"
)

// isReadOnly says that a file system takes no files at all.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
