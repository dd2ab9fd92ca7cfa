package cluster

import (
	"errors"
	"syscall"
)

// refused says that nobody listens there: WSAECONNREFUSED.
func refused(err error) bool { return errors.Is(err, syscall.Errno(10061)) }
