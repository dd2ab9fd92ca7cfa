package safefile

import (
	"errors"
	"fmt"
	"os"
)

// ErrShared is wrapped in the error for a folder in which others than its owner may
// put, change or remove something.
var ErrShared = errors.New("the folder is not private")

// OwnFolder makes a folder, and those above that are not there, for its owner alone
// (0700). All folders that midwire makes for its user are made here. One that is there
// must be ours, and none but us and root may write to it, or put another in its
// place, also by way of a link; else the error is ErrShared. It may be readable:
// files in it are their owner's alone. With ErrShared the folder is there.
func OwnFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if who := Shared(dir); who != "" {
		return fmt.Errorf("%w: %s", ErrShared, who)
	}
	return nil
}

// Private is Own for a folder that others must not look into either. Where they
// could put another in its place it is not made.
func Private(dir string) error {
	if who := Shared(dir); who != "" {
		return fmt.Errorf("%w: %s", ErrShared, who)
	}
	if err := OwnFolder(dir); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && isReadable(info) {
		err = fmt.Errorf("%w: %s can be read by others: chmod 700 it", ErrShared, dir)
	}
	return err
}

// Temp makes a folder for files that are needed for a time: Private, with a name
// that starts with prefix and that is not foreseen. It is in parent, or where the
// system has such for "". Who makes it removes it.
func Temp(parent, prefix string) (string, error) {
	dir, err := os.MkdirTemp(parent, prefix+"*")
	if err != nil {
		return "", err
	}
	if err := Private(dir); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// SamePath reports whether two paths lead to the same file or folder.
func SamePath(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}
