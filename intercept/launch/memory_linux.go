package launch

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// InMemory makes a file that programs of this user can open by its name, as
// often as they want, and that no disk has: it is gone with this process.
func InMemory(data []byte) (name string, remove func(), err error) {
	fd, err := unix.MemfdCreate("midwire", unix.MFD_CLOEXEC)
	if err != nil {
		return "", nil, err
	}
	f := os.NewFile(uintptr(fd), "midwire")
	name = filepath.Join("/proc", fmt.Sprint(os.Getpid()), "fd", fmt.Sprint(fd))
	if err = f.Chmod(0o600); err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		_, err = os.Stat(name)
	}
	if err != nil {
		f.Close()
		return "", nil, err
	}
	return name, func() { f.Close() }, nil
}
