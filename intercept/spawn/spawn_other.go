//go:build !linux

package spawn

import "syscall"

// ServerDiesWithUs reports whether the server is killed when we are.
const ServerDiesWithUs = false

// DiesWithUs is what there is of that here: nothing.
func DiesWithUs() *syscall.SysProcAttr { return nil }
