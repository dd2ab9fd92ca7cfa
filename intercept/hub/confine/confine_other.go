//go:build !linux

package confine

import "errors"

// Supported says whether this system can limit programs.
func Supported() bool { return false }

// Exec puts the program in the place of this process, limited. It returns only
// when that is not possible.
func Exec(Limits, []string, []string) error {
	return errors.New("this system cannot limit the files of a program")
}
