package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"midwire/session/safefile"
)

// patience is how long a change waits for those of other midwires.
const patience = 20 * time.Second

// lock keeps other midwires from changing configurations until unlock is
// called. The operating system releases it with the process, however it ends.
// Where the file system knows no locks there is none.
func (j journal) lock() (unlock func(), err error) {
	if err := j.folder(); err != nil {
		return nil, err
	}
	f, err := safefile.Create(string(j)+".lock", 0)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if !safefile.IsTaken(f) {
			return func() { f.Close() }, nil
		}
		if time.Now().After(end) {
			f.Close()
			return nil, fmt.Errorf("another midwire has been changing configurations for %v (it holds %s.lock)", patience, string(j))
		}
	}
}

// The lock by which Claude Code's sessions take turns is a folder beside the
// file. One as old as this is of a session that is gone.
const staleLock = 10 * time.Second

// replace is replace for a file that the client may be writing now: in turn
// with it.
func (f File) replace(before, after []byte) error {
	if f.Live() {
		unlock, err := takeTurn(f.Path+".lock", 3*time.Second)
		if err != nil {
			return err
		}
		defer unlock()
	}
	return replace(f.Path, before, after)
}

func takeTurn(lock string, patience time.Duration) (unlock func(), err error) {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := os.Mkdir(lock, 0o755) // as the client makes it
		if err == nil {
			return func() { _ = os.Remove(lock) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(lock); err == nil && info.IsDir() && time.Since(info.ModTime()) > staleLock {
			_ = os.Remove(lock)
		} else if time.Now().After(end) {
			return nil, fmt.Errorf("the client has been writing the file for %v (%s is there): try again", patience, lock)
		}
	}
}
