//go:build !linux

package launch

import "errors"

// InMemory makes a file that no disk has. Here there is none.
func InMemory([]byte) (name string, remove func(), err error) {
	return "", nil, errors.ErrUnsupported
}
