//go:build !linux

package confine

import "errors"

// Supported reports whether this system can limit programs.
func Supported() bool { return false }

// Exec puts the program instead of this process, limited. It returns only
// when that is not possible.
func Exec(Limits, []string, []string) error {
	return errors.New("this system cannot limit the files of a program")
}
