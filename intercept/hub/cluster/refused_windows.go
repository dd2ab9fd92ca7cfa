package cluster

import (
	"errors"
	"syscall"
)

// refused says that no one listens there: WSAECONNREFUSED.
func refused(err error) bool { return errors.Is(err, syscall.Errno(10061)) }
