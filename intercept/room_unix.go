//go:build unix

package intercept

import (
	"math/bits"

	"golang.org/x/sys/unix"
)

// mapped returns memory of the system: of what is reserved only what is used
// is taken, and all of it is given back at once. The heap would hold a long
// unit twice while it grows. None where addresses are scarce or the system
// refuses.
func mapped(size int) (room []byte, free func()) {
	if bits.UintSize < 64 {
		return nil, nil
	}
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	return m[:0], func() { _ = unix.Munmap(m) }
}
