// Package safefile opens and replaces files in folders where others may have put
// something in the way: links, pipes, devices, files of their own.
package safefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoFile is wrapped in the error for something that has a name and is no
// file: a folder, a pipe, a device.
var ErrNoFile = errors.New("it is not a file")

// Open opens a file for reading. It never waits: opening a pipe would, until
// another process writes into it. Links are followed.
func Open(path string) (*os.File, error) {
	// Asked first: opening alone can have effects on a device.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read returns what is in a file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: it is longer than %d KiB", path, limit>>10)
	}
	return data, err
}

// ReadGiven reads a short file that the user may have named, and then it may be
// what a shell makes of <(command).
func ReadGiven(path string) ([]byte, error) {
	if strings.HasPrefix(path, "/dev/") {
		return os.ReadFile(path)
	}
	return Read(path, 1<<20)
}

// ReadOwn is Read for a file that must be ours: a link, or a file that
// another user has put there, is ErrNoFile. The owner of the folder may.
func ReadOwn(path string, limit int64) ([]byte, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() || !IsOurs(named) && !sameOwner(named, folder) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	return Read(path, limit)
}

// Replace puts what write writes in the place of a file, whole or not at all.
// The file that was there is not opened, and what a link points to stays. The
// new one is readable by its owner alone, or as ours that was there.
func Replace(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(tmp, 64<<10)
	err = write(out)
	if old, e := os.Lstat(path); e == nil && old.Mode().IsRegular() && IsOurs(old) {
		err = errors.Join(err, tmp.Chmod(old.Mode().Perm()))
	}
	if err = errors.Join(err, out.Flush(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
