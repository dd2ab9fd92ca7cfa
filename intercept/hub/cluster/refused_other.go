//go:build !windows

package cluster

import (
	"errors"
	"syscall"
)

// refused says that nobody listens there.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
