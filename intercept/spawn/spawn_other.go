//go:build !linux

package spawn

import (
	"os"
	"syscall"
)

// ServerDiesWithUs reports whether the server is killed when we are.
const ServerDiesWithUs = false

// DiesWithUs is what there is of that here: nothing.
func DiesWithUs() *syscall.SysProcAttr { return nil }

// Like makes a pipe, whatever the stream of ours is that a server gets it in place of.
func Like(*os.File) (r, w *os.File, err error) { return Pipe() }
