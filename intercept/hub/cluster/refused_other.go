//go:build !windows

package cluster

import (
	"errors"
	"syscall"
)

// refused says that no one listens there.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
