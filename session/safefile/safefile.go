// Package safefile opens and replaces files in folders where others may have put
// something in the way: links, pipes, devices, files of other users.
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
	"time"
)

// ErrNoFile is wrapped in the error for something that has a name and is no
// file: a folder, a pipe, a device.
var ErrNoFile = errors.New("it is not a file")

// Open opens a file for reading. It never waits: opening a pipe would, until
// another process writes into it. Links are followed.
func Open(path string) (*os.File, error) {
	// Asked first: opening alone can have effects on a device.
	info, err := os.Stat(path)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		at.Op = "open"
	}
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
	return readAll(f, path, limit)
}

// givenPatience is how long a command may take for what it writes into <(command).
const givenPatience = 10 * time.Second

// ReadGiven is Read for a file that the user may have named, and then it may be
// what a shell makes of <(command), or standard input. It still ends.
func ReadGiven(path string, limit int64) ([]byte, error) {
	if !strings.HasPrefix(filepath.Clean(path), "/dev/") {
		return Read(path, limit)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe != 0 {
		_ = f.SetReadDeadline(time.Now().Add(givenPatience))
	}
	return readAll(f, path, limit)
}

func readAll(f *os.File, path string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("%s: it has not ended after %v", path, givenPatience)
	case err == nil && int64(len(data)) > limit:
		return nil, fmt.Errorf("%s: it is longer than %d KiB", path, limit>>10)
	}
	return data, err
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

// Create opens a file of ours for reading and writing, with more flags, or makes it,
// readable by its owner alone. What has its name and is none of ours, or a link, is
// ErrNoFile.
func Create(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|flags, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() || !IsOurs(named) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if f, err = os.OpenFile(path, os.O_RDWR|noWait|flags, 0); err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, named) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	return f, nil
}

// Replace puts what write writes instead of a file, whole or not at all.
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
