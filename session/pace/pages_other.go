//go:build !linux

package pace

// Unmap does nothing here.
func Unmap() {}
