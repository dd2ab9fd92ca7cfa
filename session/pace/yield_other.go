//go:build !linux

package pace

import "runtime"

func yield() { runtime.Gosched() }
