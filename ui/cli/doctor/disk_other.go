//go:build !linux && !darwin && !freebsd && !windows

package doctor

import "errors"

// room is not known here.
func room(string) (int64, error) { return 0, errors.ErrUnsupported }
